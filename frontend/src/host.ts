/** Where the page lies: on its server, perhaps below a path, or beside the entry of a static site. */

/** The name of the facts that `wuzi site` wrote, or null on a server. */
export const SITE_FACTS = document.querySelector<HTMLMetaElement>('meta[name="wuzi-site"]')?.content ?? null

/** The path below which a proxy serves the page, such as /wuzi; empty at the root of its host. */
export const ROOT = document.querySelector<HTMLMetaElement>('meta[name="wuzi-root"]')?.content ?? ''

/** The address of a file beside the page. */
export function fileUrl(name: string): string {
  return SITE_FACTS === null ? `${ROOT}/${name}` : new URL(name, location.href.replace(/[?#].*/, '')).href
}

/** The whole address of a screen, as other people can open it: behind a hash where no server answers for all addresses. */
export function screenUrl(path: string): string {
  return SITE_FACTS === null ? `${location.origin}${ROOT}${path}` : `${fileUrl('')}#${path}`
}
