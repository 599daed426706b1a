import { ROOT } from '@/host'
import type { PingMessage } from '@/wire'
import type { StreamHandlers } from '../backend'

const isHeartbeat = (message: { type: string }): message is PingMessage => ['ping', 'pong'].includes(message.type)

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 10_000
const PING_MS = 20_000
/** The server pings every 20 s: two missed pings mean that the line is dead. */
const SILENCE_MS = 45_000
const WAKING_MS = 4_000

/** Milliseconds before reconnection attempt `attempt` (1, 2, ...): doubling, capped, slightly jittered. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
  return Math.round(base * (0.8 + 0.4 * random()))
}

/** A stream of messages: connects, listens for silence, reconnects until closed. */
export class LiveSocket<Message extends { type: string }> {
  private socket: WebSocket | null = null
  private attempt = 0
  private retryTimer = 0
  private pingTimer = 0
  private silenceTimer = 0
  private closed = false
  private readonly wake = (): void => this.reconnectNow()
  private readonly look = (): void => this.probe()
  /** What the line still holds would come late. */
  private readonly cut = (): void => this.retry()

  constructor(
    private readonly path: string,
    private readonly handlers: StreamHandlers<Message>,
  ) {
    window.addEventListener('online', this.wake)
    window.addEventListener('offline', this.cut)
    document.addEventListener('visibilitychange', this.look)
    this.connect()
  }

  /** Tries again at once, for the "reconnect" button and when the browser is back online. */
  reconnectNow(): void {
    if (this.closed || this.socket?.readyState === WebSocket.OPEN) return
    this.drop()
    this.connect()
  }

  /** A phone that wakes does not know that its line is dead: the server must answer soon. */
  private probe(): void {
    if (document.visibilityState !== 'visible' || this.closed) return
    if (this.send({ type: 'ping' })) this.listenForSilence(WAKING_MS)
    else this.reconnectNow()
  }

  /** Sends a message; false when there is no connection. */
  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false
    this.socket.send(JSON.stringify(message))
    return true
  }

  close(): void {
    this.closed = true
    window.removeEventListener('online', this.wake)
    window.removeEventListener('offline', this.cut)
    document.removeEventListener('visibilitychange', this.look)
    this.drop()
  }

  private connect(): void {
    this.handlers.onLink?.(this.attempt === 0 ? 'connecting' : 'lost', this.attempt)
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}${ROOT}${this.path}`)
    this.socket = socket
    this.listenForSilence()
    socket.onopen = () => {
      this.attempt = 0
      this.pingTimer = window.setInterval(() => socket.send('{"type":"ping"}'), PING_MS)
      this.handlers.onLink?.('online', 0)
    }
    socket.onmessage = (event: MessageEvent<string>) => {
      this.listenForSilence()
      const message = JSON.parse(event.data) as Message | PingMessage
      if (!isHeartbeat(message)) this.handlers.onMessage(message)
    }
    socket.onclose = () => this.retry()
  }

  private listenForSilence(ms = SILENCE_MS): void {
    window.clearTimeout(this.silenceTimer)
    this.silenceTimer = window.setTimeout(() => this.retry(), ms)
  }

  private retry(): void {
    if (this.closed) return
    this.drop()
    this.attempt += 1
    this.handlers.onLink?.('lost', this.attempt)
    this.retryTimer = window.setTimeout(() => this.connect(), backoffMs(this.attempt))
  }

  private drop(): void {
    window.clearTimeout(this.retryTimer)
    window.clearTimeout(this.silenceTimer)
    window.clearInterval(this.pingTimer)
    if (!this.socket) return
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null
    this.socket.close()
    this.socket = null
  }
}
