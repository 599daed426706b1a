// The page without its server. Written by hand; `vite build` fills in the names of the built files.
//
// The page itself always comes from the server while that answers, so that nobody sees an old one after an update;
// what has a hash in its name never changes and is taken from here. The API is none of this file's business: what
// may be looked at offline is kept by the page (src/backend/kept.ts).

const SHELL = 'wuzi-shell-__VERSION__'
const FILES = __FILES__
const OUTAGES = [502, 503, 504]

self.addEventListener('install', (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: 'reload' }))
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
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  if (request.mode === 'navigate') event.respondWith(freshFirst(request, '/index.html'))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(keptFirst(request))
  else if (FILES.includes(url.pathname)) event.respondWith(freshFirst(request, url.pathname))
})

async function keptFirst(request) {
  const cache = await caches.open(SHELL)
  return (await cache.match(request)) ?? fetch(request)
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
