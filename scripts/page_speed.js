() => {
    window.stones = []
    const board = document.querySelector('[role=grid]')
    let down = 0
    board.addEventListener('pointerdown', (event) => { down = event.timeStamp }, true)
    new MutationObserver((changes) => {
        if (!down || !changes.some((one) => one.attributeName === 'data-stone')) return
        const begun = down
        down = 0
        // A message that is sent in a frame arrives after that frame, with the stone, has been painted.
        const painted = new MessageChannel()
        painted.port1.onmessage = () => window.stones.push(performance.now() - begun)
        requestAnimationFrame(() => painted.port2.postMessage(0))
    }).observe(board, { subtree: true, attributes: true, attributeFilter: ['data-stone'] })
}
