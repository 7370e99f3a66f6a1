/**
 * Build step: unpacks the fonts of the @fontsource packages (WOFF) to TrueType, which is what libvips' FreeType reads,
 * and writes the configuration that names them first and the system's after them.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { shippedFontsFolder } from '../engines/fonts.ts'

const TARGET = shippedFontsFolder()
const PACKAGES = ['noto-sans', 'noto-sans-arabic', 'noto-sans-hebrew', 'noto-sans-thai']
const WANTED = /-(400|700)-normal\.woff$/

/** WOFF 1.0 (W3C, 2012) to the sfnt that it wraps: the same tables, inflated, with a new directory. */
function unwrap(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, index) => {
    const at = 44 + index * 20
    const [offset, packed, length] = [woff.readUInt32BE(at + 4), woff.readUInt32BE(at + 8), woff.readUInt32BE(at + 12)]
    const data = woff.subarray(offset, offset + packed)
    return {
      tag: woff.subarray(at, at + 4),
      checksum: woff.readUInt32BE(at + 16),
      data: packed < length ? inflateSync(data) : data,
    }
  })
  const exponent = Math.floor(Math.log2(count))
  const header = Buffer.alloc(12 + count * 16)
  woff.copy(header, 0, 4, 8)
  header.writeUInt16BE(count, 4)
  header.writeUInt16BE(16 << exponent, 6)
  header.writeUInt16BE(exponent, 8)
  header.writeUInt16BE(count * 16 - (16 << exponent), 10)
  let offset = header.length
  const parts: Buffer[] = [header]
  for (const [index, { tag, checksum, data }] of tables.entries()) {
    const at = 12 + index * 16
    tag.copy(header, at)
    header.writeUInt32BE(checksum, at + 4)
    header.writeUInt32BE(offset, at + 8)
    header.writeUInt32BE(data.length, at + 12)
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4)
    parts.push(data, padding)
    offset += data.length + padding.length
  }
  return Buffer.concat(parts)
}

const FAMILIES = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans Hebrew', 'Noto Sans Thai']

/** Ours first, so that text looks alike everywhere; then what the machine has, for scripts that we do not ship. */
const CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <dir>~/.fonts</dir>
  <dir>/System/Library/Fonts</dir>
  <dir>/Library/Fonts</dir>
  <cachedir prefix="xdg">mediaproc-fontconfig</cachedir>
${['sans-serif', 'serif', 'monospace', 'system-ui', 'Arial', 'Helvetica']
  .map(
    (family) =>
      `  <alias><family>${family}</family><prefer>${FAMILIES.map((name) => `<family>${name}</family>`).join('')}</prefer></alias>`,
  )
  .join('\n')}
  <match target="pattern"><edit name="family" mode="append_last"><string>Noto Sans</string></edit></match>
</fontconfig>
`

await rm(TARGET, { recursive: true, force: true })
await mkdir(TARGET, { recursive: true })
for (const name of PACKAGES) {
  const folder = dirname(createRequire(import.meta.url).resolve(`@fontsource/${name}/package.json`))
  for (const file of (await readdir(join(folder, 'files'))).filter((one) => WANTED.test(one)))
    await writeFile(join(TARGET, file.replace(/woff$/, 'ttf')), unwrap(await readFile(join(folder, 'files', file))))
  await copyFile(join(folder, 'LICENSE'), join(TARGET, `LICENSE-${name}.txt`))
}
await writeFile(join(TARGET, 'fonts.conf'), CONFIGURATION)
