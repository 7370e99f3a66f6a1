import type { Engine } from './engine.ts'
import type { FoundProgram } from './process/programs.ts'

/** All engines by id, loaded on demand: front ends that list them must not pay for importing them. */
export const ENGINES = {
  sharp: async () => (await import('./sharp.ts')).sharpEngine,
  libheif: async () => (await import('./pictures/libheif.ts')).libheif,
  icodec: async () => (await import('./pictures/icodec.ts')).icodec,
  oxipng: async () => (await import('./pictures/oxipng.ts')).oxipng,
  'heif-enc': async () => (await import('./pictures/heif-enc.ts')).heifEnc,
  jpegtran: async () => (await import('./pictures/jpegtran.ts')).jpegtran,
  libjxl: async () => (await import('./pictures/jxl.ts')).libjxl,
  dcraw: async () => (await import('./pictures/raw.ts')).dcraw,
  exiftool: async () => (await import('./exiftool.ts')).exiftool,
  qrcode: async () => (await import('./pictures/qrcode.ts')).qrcodeEngine,
  'bwip-js': async () => (await import('./pictures/bwip.ts')).bwip,
  zxing: async () => (await import('./pictures/zxing.ts')).zxing,
  vectorizer: async () => (await import('./pictures/vectorizer.ts')).vectorizer,
  libreoffice: async () => (await import('./libreoffice/libreoffice.ts')).libreoffice,
  chromium: async () => (await import('./chromium.ts')).chromium,
  ffmpeg: async () => (await import('./ffmpeg/ffmpeg.ts')).ffmpeg,
  ffprobe: async () => (await import('./ffmpeg/ffprobe.ts')).ffprobe,
  mupdf: async () => (await import('./mupdf.ts')).mupdf,
  qpdf: async () => (await import('./qpdf.ts')).qpdf,
  ghostscript: async () => (await import('./ghostscript/ghostscript.ts')).ghostscript,
  tesseract: async () => (await import('./tesseract.ts')).tesseract,
  xlsx: async () => (await import('./documents/xlsx.ts')).xlsx,
  markdown: async () => (await import('./documents/markdown.ts')).markdown,
  docx: async () => (await import('./docx/docx.ts')).docx,
  mammoth: async () => (await import('./documents/mammoth.ts')).mammoth,
  html: async () => (await import('./documents/html.ts')).html,
  postgres: async () => (await import('./postgres/database.ts')).postgresEngine,
  redis: async () => (await import('./redis/redis.ts')).redisEngine,
  s3: async () => (await import('./s3/packages.ts')).s3Engine,
  opentelemetry: async () => (await import('./telemetry/packages.ts')).telemetryEngine,
  keyring: async () => (await import('./keyring.ts')).keyringEngine,
  xml: async () => (await import('./xml.ts')).xml,
} as const satisfies Record<string, () => Promise<Engine>>

/** Engines of plugins. */
const registered = new Map<string, Engine>()

/** Adds engines for the rest of this process. @throws Error for an id that is in use */
export function registerEngines(engines: readonly Engine[]): void {
  const taken = engines.find(({ id }) => Object.hasOwn(ENGINES, id) || registered.has(id))
  if (taken) throw new Error(`there is an engine ${taken.id} already`)
  for (const engine of engines) registered.set(engine.id, engine)
}

/** All engines, in the order of the list. */
export async function allEngines(): Promise<Engine[]> {
  return [...(await Promise.all(Object.values(ENGINES).map((load) => load()))), ...registered.values()]
}

/** The given engines that block the calling thread; unknown ids are ignored. */
export async function blockingEngines(ids: readonly string[]): Promise<Engine[]> {
  const known = ids.filter((id): id is keyof typeof ENGINES => Object.hasOwn(ENGINES, id))
  const own = ids.flatMap((id) => registered.get(id) ?? [])
  const engines: Engine[] = [...(await Promise.all(known.map((id) => ENGINES[id]()))), ...own]
  return engines.filter(({ blocking }) => blocking)
}

/** The lookup of each program, by its environment variable. */
const PROGRAMS: Readonly<Record<string, () => Promise<FoundProgram | undefined>>> = {
  MEDIAPROC_FFMPEG: async () => (await import('./ffmpeg/ffmpeg.ts')).findFfmpeg(),
  MEDIAPROC_FFPROBE: async () => (await import('./ffmpeg/ffprobe.ts')).findFfprobe(),
  MEDIAPROC_GHOSTSCRIPT: async () => (await import('./ghostscript/ghostscript.ts')).findGhostscript(),
  MEDIAPROC_HEIF_ENC: async () => (await import('./pictures/heif-enc.ts')).findHeifEnc(),
  MEDIAPROC_JPEGTRAN: async () => (await import('./pictures/jpegtran.ts')).findJpegtran(),
  MEDIAPROC_CJXL: async () => (await import('./pictures/jxl.ts')).findCjxl(),
  MEDIAPROC_DJXL: async () => (await import('./pictures/jxl.ts')).findDjxl(),
  MEDIAPROC_DCRAW: async () => (await import('./pictures/raw.ts')).findDcraw(),
  MEDIAPROC_TESSERACT: async () => (await import('./tesseract.ts')).findTesseractProgram(),
  MEDIAPROC_CHROMIUM: async () => (await import('./chromium.ts')).findChromium(),
  MEDIAPROC_LIBREOFFICE: async () => (await import('./libreoffice/libreoffice.ts')).findLibreOffice(),
  MEDIAPROC_EXIFTOOL: async () => (await import('./exiftool.ts')).findExiftool(),
  MEDIAPROC_PERL: async () => (await import('./exiftool.ts')).findPerl(),
}

/** The program that an adapter would use now. @throws MediaprocError INVALID_CONFIG if its variable names no program */
export async function findUsedProgram(environment: string): Promise<FoundProgram | undefined> {
  return PROGRAMS[environment]?.()
}
