import type { Ref } from 'vue'
import type { ExportName, Operation, Operations, PingMessage, ReviewExportName, Topic, Topics } from '@/wire'

/** What does the work, on the page and behind it; the screens know nothing of where. */
export interface Backend {
  /** Whether the last request was answered. */
  readonly isReachable: Readonly<Ref<boolean>>
  /**
   * Asks for one thing. What is kept may answer where nobody else does, unless the answer must be `fresh`.
   * Throws a `BackendError`.
   */
  request: <O extends Operation>(operation: O, ...asks: Given<Operations[O]['asks']>) => Promise<Operations[O]['answer']>
  /** Follows something until the stream is closed. */
  open: <T extends Topic>(topic: T, asks: Topics[T]['asks'], handlers: StreamHandlers<Said<T>>) => Stream<T>
  /** The address from which the browser itself loads a file or picture. */
  download: <O extends FileOperation>(operation: O, asks: Operations[O]['asks'], version?: string) => string
  /** The kinds of files that it writes. */
  formats: () => { readonly records: readonly ExportName[]; readonly reviews: readonly ReviewExportName[] }
  /** Whether a request would be answered from what is kept. */
  isKept: <O extends Operation>(operation: O, asks: Operations[O]['asks']) => Promise<boolean>
}

export interface RequestOptions {
  /** What is kept is not good enough. */
  fresh?: boolean
  /** The page may be gone before the answer. */
  isLast?: boolean
}

/** The arguments of a request: an operation that asks for nothing needs none. */
type Given<Asks> = object extends Asks ? [asks?: Asks, options?: RequestOptions] : [asks: Asks, options?: RequestOptions]

/** Operations whose answer is a file. */
export type FileOperation = {
  [O in Operation]: Operations[O]['answer'] extends Blob ? (Operations[O]['asks'] extends { body: unknown } ? never : O) : never
}[Operation]

export type LinkState = 'connecting' | 'online' | 'lost'

export interface StreamHandlers<Message> {
  onMessage: (message: Message) => void
  onLink?: (state: LinkState, attempt: number) => void
}

/** The messages on a topic, besides heartbeats. */
export type Said<T extends Topic> = Exclude<Topics[T]['says'], PingMessage>

export interface Stream<T extends Topic> {
  /** False when there is no connection. */
  send: (message: Topics[T]['hears']) => boolean
  reconnectNow: () => void
  close: () => void
}

/** A refused or failed request. `code` is the server's stable code, or `network`, `timeout` or `server_error`. */
export class BackendError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
    /** The last lines of the process that failed, where they may be seen. */
    readonly log = '',
  ) {
    super(detail || code)
    this.name = 'BackendError'
  }

  /** True when nothing came back, so that trying again later makes sense. */
  get isNetwork(): boolean {
    return this.code === 'network'
  }
}
