/* On a static site: starts the page's own worker, as the page does; `window.ask(name, asks)` then asks its engine. */
async ({ worker, tableBits }) => {
    const base = location.href.replace(/[?#].*/, '')
    const packed = await fetch(document.querySelector('meta[name="wuzi-site"]').content)
    const facts = JSON.parse(await new Response(packed.body.pipeThrough(new DecompressionStream('gzip'))).text())
    const engine = new Worker(new URL(worker, base), { type: 'module' })
    let id = 0
    window.ask = (name, asks) =>
        new Promise((done, fail) => {
            engine.onerror = (event) => fail(new Error(event.message))
            engine.onmessage = ({ data }) => (data.type === 'done' ? done(data.answer) : fail(new Error(data.message)))
            engine.postMessage({ type: 'ask', id: ++id, name, asks, reportMs: null })
        })
    engine.postMessage({ type: 'begin', base, facts, tableBits })
    return 'begun'
}
