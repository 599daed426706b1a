/** Lets messages that have come to this worker be heard. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resume) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resume()
    }
    port2.postMessage(0)
  })
}
