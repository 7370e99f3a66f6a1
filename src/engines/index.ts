import type { Engine } from './engine.ts'

/** Every engine by its id, loaded only when it is asked for: front doors that list them must not pay for importing them. */
export const ENGINES = {
  sharp: async () => (await import('./sharp.ts')).sharpEngine,
  libheif: async () => (await import('./libheif.ts')).libheif,
  icodec: async () => (await import('./icodec.ts')).icodec,
  oxipng: async () => (await import('./oxipng.ts')).oxipng,
  'heif-enc': async () => (await import('./heif-enc.ts')).heifEnc,
  libjxl: async () => (await import('./jxl.ts')).libjxl,
  dcraw: async () => (await import('./raw.ts')).dcraw,
  exiftool: async () => (await import('./exiftool.ts')).exiftool,
  qrcode: async () => (await import('./qrcode.ts')).qrcodeEngine,
  'bwip-js': async () => (await import('./bwip.ts')).bwip,
  zxing: async () => (await import('./zxing.ts')).zxing,
  vectorizer: async () => (await import('./vectorizer.ts')).vectorizer,
  libreoffice: async () => (await import('./libreoffice/libreoffice.ts')).libreoffice,
  chromium: async () => (await import('./chromium.ts')).chromium,
  ffmpeg: async () => (await import('./ffmpeg/ffmpeg.ts')).ffmpeg,
  ffprobe: async () => (await import('./ffmpeg/ffprobe.ts')).ffprobe,
  mupdf: async () => (await import('./mupdf.ts')).mupdf,
  qpdf: async () => (await import('./qpdf.ts')).qpdf,
  ghostscript: async () => (await import('./ghostscript/ghostscript.ts')).ghostscript,
  tesseract: async () => (await import('./tesseract.ts')).tesseract,
  xlsx: async () => (await import('./xlsx.ts')).xlsx,
  markdown: async () => (await import('./markdown.ts')).markdown,
  docx: async () => (await import('./docx/docx.ts')).docx,
  mammoth: async () => (await import('./mammoth.ts')).mammoth,
  html: async () => (await import('./html.ts')).html,
  xml: async () => (await import('./xml.ts')).xml,
} as const satisfies Record<string, () => Promise<Engine>>

/** All engines, in the order of the list. */
export function allEngines(): Promise<Engine[]> {
  return Promise.all(Object.values(ENGINES).map((load) => load()))
}

/** Those of some engines that keep the thread which calls them busy; ids that nobody knows are none. */
export async function blockingEngines(ids: readonly string[]): Promise<Engine[]> {
  const known = ids.filter((id): id is keyof typeof ENGINES => Object.hasOwn(ENGINES, id))
  const engines: Engine[] = await Promise.all(known.map((id) => ENGINES[id]()))
  return engines.filter(({ blocking }) => blocking)
}
