// The page without its server. Written by hand; `vite build` fills in the names of the built files, and `wuzi site`
// those of a site.
//
// On a server the page itself always comes from there while it answers, so that nobody sees an old one after an
// update; what has a hash in its name never changes and is taken from here. The API is none of this file's business:
// what may be looked at offline is kept by the page (src/backend/kept.ts). A static site is taken from here whole: a
// new version of it is a new version of this file, which waits until no page of the old one is open.

const SHELL = 'wuzi-shell-__VERSION__'
const DATA = 'wuzi-data'
const FILES = __FILES__
const IS_SITE = false
const OUTAGES = [502, 503, 504]
/** Where the page lies on its host, with a slash at its end. */
const ROOT = new URL('./', location.href).pathname
const place = (file) => ROOT + file.slice(1)
const INDEX = place('/index.html')
const PLACES = new Set(FILES.map(place))

self.addEventListener('install', (event) => {
  const requests = FILES.map((file) => new Request(place(file), { cache: 'reload' }))
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(requests)))
})

// A new worker waits until no page of the old one is open: those still need the old files.
self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith('wuzi-shell-') && name !== SHELL).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || !pathname.startsWith(ROOT)) return
  if (request.mode === 'navigate') {
    // Documentation and results beside a site are pages of their own.
    if (!IS_SITE) event.respondWith(freshFirst(request, INDEX))
    else if (pathname === ROOT || pathname === INDEX) event.respondWith(keptFirst(new Request(INDEX)))
  } else if (pathname.startsWith(place('/data/'))) event.respondWith(PLACES.has(pathname) ? keptFirst(request) : keptOnceAsked(request))
  else if (pathname.startsWith(place('/assets/')) || (IS_SITE && PLACES.has(pathname))) event.respondWith(keptFirst(request))
  else if (PLACES.has(pathname)) event.respondWith(freshFirst(request, pathname))
})

async function keptFirst(request) {
  const cache = await caches.open(SHELL)
  return (await cache.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request)
}

/** Nets of rules that somebody plays: their names have a hash, so that what is kept never grows old. */
async function keptOnceAsked(request) {
  const cache = await caches.open(DATA)
  const found = await cache.match(request)
  if (found) return found
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

async function freshFirst(request, path) {
  const kept = async () => (await caches.open(SHELL)).match(path)
  try {
    const response = await fetch(request)
    return OUTAGES.includes(response.status) ? ((await kept()) ?? response) : response
  } catch (error) {
    const found = await kept()
    if (found) return found
    throw error
  }
}
