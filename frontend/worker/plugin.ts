import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Writes sw.js beside the built page: worker/sw.js with the names of all files, and a version made of their contents. */
export function serviceWorker(): Plugin {
  let folder = ''
  return {
    name: 'wuzi-service-worker',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir.startsWith('/') ? config.build.outDir : join(config.root, config.build.outDir)
    },
    closeBundle() {
      const names = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'sw.js' && !entry.name.endsWith('.sha256'))
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/').replace(/^\/*/, '/'))
        .sort()
      const source = readFileSync(join(import.meta.dirname, 'sw.js'), 'utf8')
      const version = createHash('sha256').update(source)
      for (const name of names) version.update(name).update(readFileSync(join(folder, name)))
      const filled = source
        .replace('__VERSION__', version.digest('hex').slice(0, 16))
        .replace('__FILES__', JSON.stringify(names))
      writeFileSync(join(folder, 'sw.js'), filled)
    },
  }
}
