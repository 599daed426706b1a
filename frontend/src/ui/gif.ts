/** An animated GIF, written from frames of palette indices. */

export interface GifFrame {
  /** Where the frame changes the picture, and its pixels, row by row. */
  x: number
  y: number
  width: number
  height: number
  pixels: Uint8Array
  /** Hundredths of a second that it is shown. */
  delay: number
}

const BITS = 8
const CLEAR = 1 << BITS
const MOST_CODES = 4096

/** The pixels as GIF's LZW codes, the lowest bits first. */
export function compress(pixels: Uint8Array): Uint8Array {
  const out: number[] = []
  let held = 0
  let bits = 0
  function put(code: number, width: number): void {
    held |= code << bits
    for (bits += width; bits >= 8; bits -= 8) {
      out.push(held & 255)
      held >>>= 8
    }
  }
  let known = new Map<number, number>()
  let next = CLEAR + 2
  let width = BITS + 1
  put(CLEAR, width)
  let run = pixels[0]!
  for (const pixel of pixels.subarray(1)) {
    const key = run * 256 + pixel
    const longer = known.get(key)
    if (longer !== undefined) {
      run = longer
      continue
    }
    put(run, width)
    run = pixel
    if (next < MOST_CODES) {
      known.set(key, next)
      if (next === 1 << width) width++
      next++
    } else {
      put(CLEAR, width)
      known = new Map()
      next = CLEAR + 2
      width = BITS + 1
    }
  }
  put(run, width)
  put(CLEAR + 1, width)
  if (bits) out.push(held & 255)
  return Uint8Array.from(out)
}

const word = (value: number): number[] => [value & 255, value >> 8]

/** The file; it begins again after its last frame. The palette has at most 256 colours (red, green, blue). */
export function writeGif(width: number, height: number, palette: readonly (readonly number[])[], frames: readonly GifFrame[]): Blob {
  const parts: BlobPart[] = []
  const put = (...bytes: number[]): unknown => parts.push(Uint8Array.from(bytes))
  const text = (value: string): number[] => [...value].map((letter) => letter.charCodeAt(0))
  put(...text('GIF89a'), ...word(width), ...word(height), 0xf7, 0, 0)
  put(...Array.from({ length: 256 }, (_, i) => palette[i] ?? [0, 0, 0]).flat())
  put(0x21, 0xff, 11, ...text('NETSCAPE2.0'), 3, 1, 0, 0, 0)
  for (const frame of frames) {
    put(0x21, 0xf9, 4, 0x04, ...word(frame.delay), 0, 0)
    put(0x2c, ...word(frame.x), ...word(frame.y), ...word(frame.width), ...word(frame.height), 0, BITS)
    const codes = compress(frame.pixels)
    for (let at = 0; at < codes.length; at += 255) {
      const block = codes.subarray(at, at + 255)
      parts.push(Uint8Array.of(block.length), Uint8Array.from(block))
    }
    put(0)
  }
  put(0x3b)
  return new Blob(parts, { type: 'image/gif' })
}
