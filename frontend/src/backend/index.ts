/** The page's only way to whatever plays, searches and stores; nothing else may fetch or open a socket. */

import type { Backend } from './backend'
import { server } from './remote/server'

export * from './backend'

export const backend: Backend = server
