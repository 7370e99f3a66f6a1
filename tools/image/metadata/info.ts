import { readExif } from '../../../src/media/image/metadata/exif.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'

const CHANNELS = ['red', 'green', 'blue'] as const

/** sharp's words for the depth of a sample, as bits. */
const BITS: Record<string, string> = {
  uchar: '8',
  char: '8',
  ushort: '16',
  short: '16',
  uint: '32',
  int: '32',
  float: '32',
  double: '64',
}

const rounded = (value: number): number => Math.round(value * 100) / 100

export default imageTool({
  id: 'info',
  summary: "Report an image's properties and per-channel figures",
  settings: {},
  output: { kind: 'report' },
  examples: [{ title: 'what is this file?' }],
  // Width and height are reported as stored (catalogue), so the orientation is not applied.
  decode: () => ({ keepOrientation: true, firstPage: true }),
  async produce([picture]) {
    const file = await picture.file()
    const frame = await picture.open()
    const { metadata } = frame.origin
    const { channels } = await (await (await frame.settled()).pipeline()).stats()
    const colours = channels.length - (frame.hasAlpha ? 1 : 0)
    const dpi = metadata.density ?? null
    return {
      report: {
        filename: file.name,
        fileSize: file.bytes,
        size: file.bytes,
        width: metadata.width,
        height: metadata.height,
        format: formatName(file.type.id),
        channels: metadata.channels,
        hasAlpha: metadata.hasAlpha ?? false,
        colorSpace: metadata.space,
        density: dpi,
        dpi,
        isProgressive: metadata.isProgressive ?? false,
        orientation: metadata.orientation ?? null,
        hasProfile: metadata.hasProfile ?? false,
        hasExif: metadata.exif !== undefined,
        hasIcc: metadata.icc !== undefined,
        hasXmp: metadata.xmp !== undefined,
        bitDepth: BITS[metadata.depth ?? ''] ?? null,
        pages: metadata.pages ?? 1,
        histogram: channels.map(({ min, max, mean, stdev }, index) => ({
          channel: index >= colours ? 'alpha' : colours === 1 ? 'grey' : (CHANNELS[index] ?? 'black'),
          min,
          max,
          mean: rounded(mean),
          stdev: rounded(stdev),
        })),
        exif: metadata.exif ? ((await readExif(metadata.exif)).exif ?? null) : null,
      },
    }
  },
})

/** The catalogue's names where they differ from ours. */
function formatName(id: string): string {
  if (id === 'jpg') return 'jpeg'
  return id === 'heic' ? 'heif' : id
}
