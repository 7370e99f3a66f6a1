/**
 * The sample files that the tools' examples name, made by script: seeded, small, nobody's property. Documentation and
 * tests run the examples on them.
 */
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SAMPLE_PASSWORD_FILE, SAMPLE_TERMS_FILE } from '../../cli/sample-names.ts'
import { workbookOf } from '../../engines/documents/xlsx.ts'
import { runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import { drawBarcode } from '../../engines/pictures/bwip.ts'
import { openSharp } from '../../engines/sharp.ts'
import { makeFolder } from '../../make-folder.ts'
import { zipFiles } from '../../media/zip.ts'
import { sampleInvoice, sampleReport, sampleSecret } from './sample-documents.ts'
import { LOGO, landscape, peakMask, portrait, scratchedLandscape } from './sample-drawings.ts'
import { makeFormatSamples } from './sample-formats.ts'
import { sampleBook, sampleLetter, sampleSlides } from './sample-office.ts'

/** EXIF as cameras write it: with what, when and where. */
const HOLIDAY_EXIF = {
  IFD0: { Make: 'Example', Model: 'Sample One', Copyright: 'Public domain' },
  IFD2: { DateTimeOriginal: '2026:06:21 12:00:00', FNumber: '28/10' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '46/1 33/1 0/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '8/1 33/1 0/1',
  },
}

const NOTES = `# Field notes

Two days at the lake, *early* in the year.

| bird  | seen |
| ----- | ---: |
| coot  |   12 |
| heron |    1 |

\`\`\`sh
mediaproc files markdown-to-pdf notes.md
\`\`\`
`

const PEOPLE = [
  { name: 'Ada Lovelace', born: 1815, city: 'London' },
  { name: 'Émilie du Châtelet', born: 1706, city: 'Paris' },
  { name: 'Sofja Kowalewskaja', born: 1850, city: 'Moskau, Russland' },
]

const drawn = async (svg: string) => openSharp(Buffer.from(svg))

async function pictures(folder: string): Promise<void> {
  await (await drawn(landscape(1200, 800))).jpeg({ quality: 90 }).toFile(join(folder, 'photo.jpg'))
  await (await drawn(peakMask(1200, 800))).greyscale().png().toFile(join(folder, 'photo-mask.png'))
  const old = await drawn(scratchedLandscape(600, 400))
  await old.greyscale().jpeg({ quality: 90 }).toFile(join(folder, 'old-photo.jpg'))
  const held = await (await drawn(landscape(900, 1200, 200))).rotate(-90).png().toBuffer()
  // sharp takes the orientation from here only, and writes 1 over what is in the EXIF fields above.
  const turned = (await openSharp(held)).jpeg({ quality: 90 }).withExif(HOLIDAY_EXIF).withMetadata({ orientation: 6 })
  await turned.toFile(join(folder, 'holiday.jpg'))
  await (await drawn(portrait(800, 1000))).jpeg({ quality: 90 }).toFile(join(folder, 'portrait.jpg'))
  await writeFile(join(folder, 'logo.svg'), LOGO)
  await parcel(folder)
  const frames = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => (await drawn(landscape(240, 160, index * 30))).png().toBuffer()),
  )
  const animation = await openSharp(frames as never, { join: { animated: true } } as object)
  await animation.gif({ delay: frames.map(() => 100), loop: 0 }).toFile(join(folder, 'animation.gif'))
  // Somebody who comes nearer and goes away again.
  const person = await (await drawn(portrait(320, 400))).png().toBuffer()
  const steps = await Promise.all(
    [0, 12, 24, 12].map(async (cut) => {
      const part = { left: cut, top: cut, width: 320 - 2 * cut, height: 400 - 2 * cut }
      return (await openSharp(person)).extract(part).resize(240, 300).png().toBuffer()
    }),
  )
  const nearer = await openSharp(steps as never, { join: { animated: true } } as object)
  await nearer.gif({ delay: steps.map(() => 150), loop: 0 }).toFile(join(folder, 'nearer.gif'))
}

/** A parcel label on a table, photographed askew: two codes, neither of them upright. */
async function parcel(folder: string): Promise<void> {
  const look = { scale: 3, includeText: true }
  const bars = await drawBarcode('PARCEL-2026-0042', { ...look, type: 'code128' })
  const square = await drawBarcode('https://example.com/parcels/42', { ...look, scale: 5, type: 'datamatrix' })
  const label = await openSharp(undefined, { create: { width: 760, height: 420, channels: 3, background: '#ffffff' } })
  const drawnLabel = await label
    .composite([
      { input: bars, left: 40, top: 250 },
      { input: square, left: 40, top: 40 },
    ])
    .png()
    .toBuffer()
  const askew = (await openSharp(drawnLabel)).rotate(12, { background: '#8a6f52' }).blur(0.8)
  await askew.jpeg({ quality: 85 }).toFile(join(folder, 'parcel.jpg'))
}

async function recordings(folder: string): Promise<void> {
  const source = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=320x240:rate=25:duration=2',
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=440:duration=2:sample_rate=44100',
  ]
  const exact = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact']
  await runFfmpeg([
    ...source,
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '25',
    '-c:a',
    'aac',
    ...exact,
    join(folder, 'clip.mp4'),
  ])
  const tone = ['-f', 'lavfi', '-i', 'aevalsrc=0.4*sin(440*2*PI*t)*(0.3+0.7*mod(t\\,1)):s=44100:d=3']
  await runFfmpeg([...tone, ...exact, '-c:a', 'libmp3lame', '-b:a', '128k', join(folder, 'tone.mp3')])
  await runFfmpeg([...tone, ...exact, join(folder, 'hum.wav')])
}

const WORDS = `1
00:00:00,200 --> 00:00:00,900
One tool for a job

2
00:00:01,000 --> 00:00:01,800
that many tools do in part
`

async function subtitles(folder: string): Promise<void> {
  const words = join(folder, 'words.srt')
  await writeFile(words, WORDS)
  const exact = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact']
  const inputs = ['-i', join(folder, 'clip.mp4'), '-i', words, '-map', '0', '-map', '1']
  await runFfmpeg([...inputs, '-c', 'copy', '-c:s', 'srt', ...exact, join(folder, 'film.mkv')])
}

async function tables(folder: string): Promise<void> {
  const rows = PEOPLE.map(({ name, born, city }) => [name, born, city])
  const csv = [['name', 'born', 'city'], ...rows].map((row) =>
    row.map((cell) => (String(cell).includes(',') ? `"${cell}"` : cell)).join(','),
  )
  await writeFile(join(folder, 'people.csv'), csv.join('\r\n'))
  await writeFile(join(folder, 'members.json'), JSON.stringify(PEOPLE, null, 2))
  await writeFile(join(folder, 'notes.md'), NOTES)
  await writeFile(
    join(folder, 'page.html'),
    '<!DOCTYPE html><title>Page</title><h1>A page</h1><p>with <b>styles</b> of its own</p>',
  )
  const people = PEOPLE.map(
    (person) =>
      `  <person>${Object.entries(person)
        .map(([name, value]) => `<${name}>${value}</${name}>`)
        .join('')}</person>`,
  )
  await writeFile(join(folder, 'register.xml'), `<people>\n${people.join('\n')}\n</people>\n`)
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun']
  await writeFile(
    join(folder, 'sales.csv'),
    ['month,sales', ...months.map((month, index) => `${month},${[1250, 980, 1730, 2100, 1890, 2460][index]}`)].join(
      '\r\n',
    ),
  )
  await writeFile(join(folder, 'staff.xlsx'), await workbookOf([['name', 'born', 'city'], ...rows], 'people'))
}

const PASSWORD = 'open sesame'

/** Makes all samples in `folder`. Needs ffmpeg for the recordings. */
export async function makeSamples(folder: string): Promise<void> {
  await makeFolder(folder)
  await Promise.all([pictures(folder), recordings(folder), tables(folder), makeFormatSamples(folder)])
  await subtitles(folder)
  await writeFile(join(folder, 'report.pdf'), await sampleReport())
  await writeFile(join(folder, 'letter.odt'), await sampleLetter())
  await writeFile(join(folder, 'book.epub'), await sampleBook())
  await writeFile(join(folder, 'slides.odp'), await sampleSlides())
  await writeFile(join(folder, 'invoice.pdf'), await sampleInvoice())
  await writeFile(join(folder, 'secret.pdf'), await sampleSecret(PASSWORD))
  await writeFile(join(folder, SAMPLE_PASSWORD_FILE), `${PASSWORD}\n`)
  await writeFile(join(folder, SAMPLE_TERMS_FILE), 'honest\n')
  await makeFolder(join(folder, 'photos', 'lake'))
  await copyFile(join(folder, 'photo.jpg'), join(folder, 'photos', 'peak.jpg'))
  await copyFile(join(folder, 'holiday.jpg'), join(folder, 'photos', 'lake', 'shore.jpg'))
  const packed = ['people.csv', 'members.json', 'logo.svg'].map((name) => ({
    name: `sample/${name}`,
    path: join(folder, name),
  }))
  await zipFiles(packed, join(folder, 'bundle.zip'))
}
