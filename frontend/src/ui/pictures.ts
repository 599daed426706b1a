import type { Color } from '@/wire'
import { geometryOf, starPoints, UNIT, xOf, yOf } from '@/game/geometry'
import { axisLabels } from '@/game/notation'
import { type GifFrame, writeGif } from './gif'

/** A game to draw: stones that lie before it, and its moves. */
export interface Pictured {
  size: number
  start: string
  moves: readonly { cell: number; color: Color }[]
}

const SCALE = 0.8
const MOVE_CS = 80
const END_CS = 300
const RED = '#d8442b'

function canvasOf(size: number): { canvas: HTMLCanvasElement; pen: CanvasRenderingContext2D } {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.round(geometryOf(size, true).side * SCALE)
  const pen = canvas.getContext('2d', { willReadFrequently: true })!
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  return { canvas, pen }
}

function drawBoard(pen: CanvasRenderingContext2D, size: number): void {
  const g = geometryOf(size, true)
  pen.setTransform(SCALE, 0, 0, SCALE, 0, 0)
  pen.fillStyle = '#e8c482'
  pen.fillRect(0, 0, g.side, g.side)
  pen.strokeStyle = '#5f4520'
  pen.lineWidth = 1.2
  pen.beginPath()
  for (let i = 0; i < size; i++) {
    const at = g.margin + i * UNIT
    pen.moveTo(g.margin, at)
    pen.lineTo(g.side - g.margin, at)
    pen.moveTo(at, g.margin)
    pen.lineTo(at, g.side - g.margin)
  }
  pen.stroke()
  for (const cell of starPoints(size)) disc(pen, xOf(cell, g), yOf(cell, g), 4, '#5f4520')
  const { columns, rows } = axisLabels(size, 'renju')
  pen.fillStyle = '#4a3517'
  pen.font = '600 13px sans-serif'
  columns.forEach((text, i) => pen.fillText(text, g.margin + i * UNIT, g.side - 13))
  rows.forEach((text, i) => pen.fillText(text, 13, g.margin + i * UNIT))
}

function disc(pen: CanvasRenderingContext2D, x: number, y: number, radius: number, fill: string, edge = fill): void {
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.fillStyle = fill
  pen.fill()
  pen.strokeStyle = edge
  pen.lineWidth = 1.2
  pen.stroke()
}

/** The position after so many moves. */
function draw(pen: CanvasRenderingContext2D, game: Pictured, ply: number): void {
  const g = geometryOf(game.size, true)
  drawBoard(pen, game.size)
  const stone = (cell: number, color: string): void =>
    disc(pen, xOf(cell, g), yOf(cell, g), 18, color === 'B' ? '#191919' : '#fbfaf6', color === 'B' ? '#000000' : '#6b5a3e')
  ;[...game.start].forEach((color, cell) => color !== '.' && stone(cell, color))
  game.moves.slice(0, ply).forEach(({ cell, color }, i) => {
    stone(cell, color)
    pen.fillStyle = i === ply - 1 ? RED : color === 'B' ? '#fbfaf6' : '#191919'
    pen.font = `600 ${i < 99 ? 16 : 13}px sans-serif`
    pen.fillText(String(i + 1), xOf(cell, g), yOf(cell, g) + 1)
  })
}

/** The position after so many moves as a PNG. */
export async function pngOf(game: Pictured, ply: number): Promise<Blob> {
  const { canvas, pen } = canvasOf(game.size)
  draw(pen, game, ply)
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('no picture'))), 'image/png'))
}

/** The colours of the first and the last picture that are most frequent, and which of them each pixel gets. */
function paletteOf(pictures: readonly Uint8ClampedArray[]) {
  const key = (data: Uint8ClampedArray, i: number): number => ((data[i]! >> 3) << 10) | ((data[i + 1]! >> 3) << 5) | (data[i + 2]! >> 3)
  const counts = new Map<number, [number, number[]]>()
  for (const data of pictures) {
    for (let i = 0; i < data.length; i += 4) {
      const found = counts.get(key(data, i))
      if (found) found[0]++
      else counts.set(key(data, i), [1, [data[i]!, data[i + 1]!, data[i + 2]!]])
    }
  }
  const colors = [...counts.values()].sort((a, b) => b[0] - a[0]).slice(0, 256).map(([, color]) => color)
  const near = new Map<number, number>()

  function nearest(data: Uint8ClampedArray, i: number): number {
    const known = near.get(key(data, i))
    if (known !== undefined) return known
    const away = colors.map(([r, g, b]) => (r! - data[i]!) ** 2 + (g! - data[i + 1]!) ** 2 + (b! - data[i + 2]!) ** 2)
    const found = away.indexOf(Math.min(...away))
    near.set(key(data, i), found)
    return found
  }

  return { colors, nearest }
}

/** The game as an animated GIF: a stone a frame, and the end a while longer. */
export function gifOf(game: Pictured): Blob {
  const { canvas, pen } = canvasOf(game.size)
  const side = canvas.width
  function pictured(ply: number): Uint8ClampedArray {
    draw(pen, game, ply)
    return pen.getImageData(0, 0, side, side).data
  }
  const last = game.moves.length
  const { colors, nearest } = paletteOf([pictured(0), pictured(last)])
  const frames: GifFrame[] = []
  let before: Uint8ClampedArray | null = null
  for (let ply = 0; ply <= last; ply++) {
    const now = pictured(ply)
    frames.push(changed(before, now, side, nearest, ply === last ? END_CS : MOVE_CS))
    before = now
  }
  return writeGif(side, side, colors, frames)
}

/** The smallest rectangle in which two pictures differ; all of the first one. */
function changed(
  before: Uint8ClampedArray | null,
  now: Uint8ClampedArray,
  side: number,
  nearest: (data: Uint8ClampedArray, i: number) => number,
  delay: number,
): GifFrame {
  let [left, top, right, bottom] = before ? [side, side, 0, 0] : [0, 0, side - 1, side - 1]
  for (let at = 0; before && at < side * side; at++) {
    const i = 4 * at
    if (before[i] === now[i] && before[i + 1] === now[i + 1] && before[i + 2] === now[i + 2]) continue
    const [x, y] = [at % side, Math.floor(at / side)]
    ;[left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)]
  }
  if (right < left) [left, top, right, bottom] = [0, 0, 0, 0]
  const [width, height] = [right - left + 1, bottom - top + 1]
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = nearest(now, 4 * ((top + y) * side + left + x))
  return { x: left, y: top, width, height, pixels, delay }
}
