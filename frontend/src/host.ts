/** Where the page lies: at the root of its server, or beside the entry of a static site. */

/** The name of the facts that `wuzi site` wrote, or null on a server. */
export const SITE_FACTS = document.querySelector<HTMLMetaElement>('meta[name="wuzi-site"]')?.content ?? null

/** The address of a file beside the page. */
export function fileUrl(name: string): string {
  return SITE_FACTS === null ? `/${name}` : new URL(name, location.href.replace(/[?#].*/, '')).href
}

/** The whole address of a screen, as other people can open it: behind a hash where no server answers for all addresses. */
export function screenUrl(path: string): string {
  return SITE_FACTS === null ? `${location.origin}${path}` : `${fileUrl('')}#${path}`
}
