import type { Engine } from './engine.ts'

/** Every engine, loaded only when it is asked for: front doors that list them must not pay for importing them. */
export const ENGINES: readonly (() => Promise<Engine>)[] = [
  async () => (await import('./sharp.ts')).sharpEngine,
  async () => (await import('./libheif.ts')).libheif,
  async () => (await import('./icodec.ts')).icodec,
  async () => (await import('./heif-enc.ts')).heifEnc,
  async () => (await import('./jxl.ts')).libjxl,
  async () => (await import('./raw.ts')).dcraw,
  async () => (await import('./exiftool.ts')).exiftool,
  async () => (await import('./qrcode.ts')).qrcodeEngine,
  async () => (await import('./bwip.ts')).bwip,
  async () => (await import('./zxing.ts')).zxing,
  async () => (await import('./vectorizer.ts')).vectorizer,
  async () => (await import('./chromium.ts')).chromium,
  async () => (await import('./ffmpeg/ffmpeg.ts')).ffmpeg,
  async () => (await import('./ffmpeg/ffprobe.ts')).ffprobe,
  async () => (await import('./mupdf.ts')).mupdf,
  async () => (await import('./qpdf.ts')).qpdf,
  async () => (await import('./ghostscript/ghostscript.ts')).ghostscript,
  async () => (await import('./xlsx.ts')).xlsx,
]

/** All engines, in the order of the list. */
export function allEngines(): Promise<Engine[]> {
  return Promise.all(ENGINES.map((load) => load()))
}
