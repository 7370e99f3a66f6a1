import { copyFileSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { inputArguments, runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { makeAudio, makeVideo } from '../helpers/av.ts'
import { exifBlock, jpegWithExif } from '../helpers/exif.ts'
import { makePdf } from '../helpers/pdf.ts'
import { useBuiltScene } from '../helpers/program.ts'
import { HELVETICA, line, rawPdf, stream } from '../helpers/raw-pdf.ts'

const here = useBuiltScene()

const rules = (text: string): void => writeFileSync(here.at('rules.yaml'), text)
const withPosition = (name: string): void =>
  writeFileSync(here.at(name), jpegWithExif(readFileSync(here.at('a.jpg')), exifBlock()))

interface Shown {
  ok: boolean
  files: {
    file: string
    findings: { rule: string; limit: string; message: string; actual?: unknown; fix?: string }[]
  }[]
}

/** The findings of a check as `file limit: message`. */
async function found(...args: string[]): Promise<string[]> {
  const { stdout } = await here.run(['check', ...args, '--format', 'json'])
  const { files } = JSON.parse(stdout) as Shown
  return files.flatMap(({ file, findings }) => findings.map(({ limit, message }) => `${file} ${limit}: ${message}`))
}

describe('limits on the command line', () => {
  test('a finding names the file, the value, the limit, the rule and the command that fixes it', async () => {
    const ran = await here.run(['check', 'a.jpg', '--max-width', '20', '--max-bytes', '1MB'])
    expect(ran).toEqual({
      code: 1,
      bytes: expect.anything(),
      stdout:
        'a.jpg\n  error    width is 40 px, at most 20 px  command line\n' +
        '           fix: mediaproc image resize a.jpg --width 20\n',
      stderr: 'mediaproc: 1 file checked: 1 error\n',
    })
    const [, , command = ''] = ran.stdout.split('\n')
    const words = command.trim().split(' ').slice(2)
    expect((await here.run(words)).code).toBe(0)
    expect(await here.widthOf('a_resize.jpg')).toBe(20)
  })

  test('without findings it prints nothing on standard output', async () => {
    expect(await here.run(['check', 'a.jpg', '--max-width', '40', '--min-height', '20'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'mediaproc: 1 file checked: no findings\n',
    })
    expect(await here.run(['check', 'a.jpg', '-q', '--max-width', '40'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('pictures: size, format, colours, depth, alpha, frames, EXIF and position', async () => {
    withPosition('gps.jpg')
    const alpha = sharp({ create: { width: 30, height: 30, channels: 4, background: '#ff000080' } })
    writeFileSync(here.at('deep.png'), await alpha.toColourspace('rgb16').png().toBuffer())
    const wide = sharp(readFileSync(here.at('a.jpg'))).withIccProfile('p3')
    writeFileSync(here.at('p3.jpg'), await wide.jpeg().toBuffer())
    expect(await found('a.jpg', '--max-bytes', '100B', '--formats', 'webp,png')).toEqual([
      expect.stringMatching(/^a\.jpg maxBytes: size is \d+ B, at most 100 B$/),
      'a.jpg formats: format is jpg, expected webp or png',
    ])
    expect(await found('deep.png', 'a.jpg', '--max-bit-depth', '8', '--no-alpha')).toEqual([
      'deep.png maxBitDepth: bit depth is 16 bits, at most 8 bits',
      'deep.png alpha: has an alpha channel',
    ])
    expect(await found('p3.jpg', 'a.jpg', '--colour-spaces', 'srgb')).toEqual([
      'p3.jpg colourSpaces: colour space is rgb, expected srgb',
    ])
    expect(await found('gps.jpg', 'a.jpg', '--no-gps', '--no-exif')).toEqual([
      expect.stringContaining('gps.jpg exif: has EXIF data: Artist'),
      'gps.jpg gps: has a GPS position',
    ])
  })

  test('video and audio: codecs, duration, frame rate, loudness', async () => {
    copyFileSync(await makeVideo({ seconds: 1, audio: true }), here.at('clip.mp4'))
    copyFileSync(await makeAudio({ seconds: 2, extension: 'wav' }), here.at('tone.wav'))
    const limits = [
      '--max-duration',
      '0:01',
      '--max-frame-rate',
      '10',
      '--video-codecs',
      'VP9',
      '--max-loudness',
      '-40',
    ]
    const all = (await found('clip.mp4', 'tone.wav', ...limits)).join('\n')
    expect(all).toContain('clip.mp4 videoCodecs: video codec is h264, expected vp9')
    expect(all).toMatch(/clip\.mp4 maxFrameRate: frame rate is [\d.]+ fps, at most 10 fps/)
    expect(all).toContain('tone.wav maxDuration: duration is 2 s, at most 1 s')
    expect(all).toMatch(/tone\.wav maxLoudness: loudness is -?[\d.]+ LUFS, at most -40 LUFS/)
  })

  test('the position of a video is found and removed', async () => {
    const source = await makeVideo({ seconds: 1, audio: true })
    const tags = ['-c', 'copy', '-metadata', 'location=+52.5+013.4/']
    await runFfmpeg([...inputArguments(source), ...tags, here.at('place.mp4')], { what: 'test' })
    expect(await found('place.mp4', '--no-gps')).toEqual(['place.mp4 gps: has a GPS position'])
    expect((await here.run(['check', 'place.mp4', '--no-gps', '--fix'])).code).toBe(0)
    expect(await found('place_fixed.mp4', '--no-gps')).toEqual([])
  })

  test('PDFs: pages, PDF/A, fonts', async () => {
    writeFileSync(here.at('three.pdf'), await makePdf({ pages: 3 }))
    const content = stream(line('hello'))
    const objects = {
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      4: content,
      5: HELVETICA,
    }
    writeFileSync(here.at('bare.pdf'), rawPdf(objects))
    expect(await found('three.pdf', '--max-pages', '2', '--pdfa')).toEqual([
      'three.pdf maxPages: has 3 pages, at most 2',
      'three.pdf pdfa: declares no PDF/A level',
    ])
    expect(await found('bare.pdf', '--fonts-embedded')).toEqual([
      'bare.pdf fontsEmbedded: fonts that are not embedded: Helvetica',
    ])
  })

  test('duplicates are found by content; links to one file are not duplicates', async () => {
    copyFileSync(here.at('a.jpg'), here.at('b.jpg'))
    symlinkSync('a.jpg', here.at('c.jpg'))
    linkSync(here.at('a.jpg'), here.at('d.jpg'))
    await here.picture('e.jpg', '#00ff00')
    expect(await found('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg', '--no-duplicates')).toEqual([
      'b.jpg duplicates: has the same content as a.jpg',
    ])
  })

  test('files that cannot be read are findings, and do not stop the others', async () => {
    writeFileSync(here.at('cut.jpg'), readFileSync(here.at('a.jpg')).subarray(0, 200))
    writeFileSync(here.at('empty.png'), '')
    writeFileSync(here.at('text.png'), 'no picture')
    mkdirSync(here.at('folder'))
    const ran = await here.run(['check', 'none.jpg', 'cut.jpg', 'empty.png', 'text.png', 'folder', 'a.jpg', '--json'])
    expect(ran.code).toBe(1)
    const { files } = JSON.parse(ran.stdout) as Shown
    expect(files.map(({ file, findings }) => [file, findings.map(({ rule }) => rule).join()])).toEqual([
      ['none.jpg', 'readable'],
      ['cut.jpg', 'readable'],
      ['empty.png', 'readable'],
      ['text.png', 'readable'],
      ['folder', 'readable'],
      ['a.jpg', ''],
    ])
  })

  test('by default: positions and wrong extensions are errors, duplicates are warnings', async () => {
    withPosition('gps.jpg')
    copyFileSync(here.at('a.jpg'), here.at('b.jpg'))
    copyFileSync(here.at('a.jpg'), here.at('c.png'))
    const { code, stdout } = await here.run(['check', '-r', '.'])
    expect(code).toBe(1)
    expect(stdout).toContain('b.jpg\n  warning  has the same content as a.jpg  duplicates\n')
    expect(stdout).toContain('the extension is png, and the content is JPG  type\n           fix: mv -- c.png c.jpg\n')
    expect(stdout).toContain('gps.jpg\n  error    has a GPS position  privacy\n')
    expect(await here.run(['check', 'a.jpg', 'b.jpg'])).toMatchObject({ code: 0 })
  })

  test('mistakes exit with 2 and a suggestion', async () => {
    for (const [args, message] of [
      [['a.jpg', '--max-widht', '3'], 'There is no option --max-widht (USAGE)\n  Did you mean --max-width?'],
      [['a.jpg', '--formats', 'wepb'], 'There is no format wepb (INVALID_SETTINGS)\n  Did you mean webp?'],
      [['a.jpg', '--max-bytes', 'big'], 'Expected an integer of at least 1 for --max-bytes, got big'],
      [['a.jpg', '--min-width', '5', '--max-width', '4'], 'minWidth is 5, which is more than maxWidth, 4'],
      [[], 'mediaproc check needs files (NO_FILE)'],
    ] as const) {
      const ran = await here.run(['check', ...args])
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
    }
  })
})

describe('rules', () => {
  test('apply to files by their patterns, relative to the file of rules', async () => {
    mkdirSync(here.at('public/raw'), { recursive: true })
    for (const name of ['public/b.jpg', 'public/raw/c.jpg']) copyFileSync(here.at('a.jpg'), here.at(name))
    rules(`- name: public
  files: ['public/**', '!**/raw/**']
  maxWidth: 20
- name: all
  files: '*.jpg'
  severity: warning
  formats: [webp]
`)
    const ran = await here.run(['check', 'rules.yaml', '-r', '.', '--json'])
    const { files } = JSON.parse(ran.stdout) as Shown
    expect(files.map(({ file, findings }) => [file, findings.map(({ rule }) => rule).join()])).toEqual([
      ['a.jpg', 'all'],
      ['public/b.jpg', 'public,all'],
      ['public/raw/c.jpg', 'all'],
    ])
    expect(ran.code).toBe(1)
    // Without files, the patterns select them.
    expect((await here.run(['check', 'rules.yaml', '--json'])).stdout).toContain('"checked": 3')
  })

  test('warnings alone exit with 0', async () => {
    rules('- { name: small, severity: warning, maxWidth: 20 }\n')
    expect(await here.run(['check', 'rules.yaml', 'a.jpg'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('  warning  width is 40 px, at most 20 px  small\n'),
      stderr: 'mediaproc: 1 file checked: 1 warning\n',
    })
  })

  test('a fix of the rule replaces the usual one; false leaves it out', async () => {
    rules(`- { name: a, maxWidth: 20, fix: { image/rotate: { angle: 90 } } }
- { name: b, maxHeight: 10, fix: false }
`)
    const { stdout } = await here.run(['check', 'rules.yaml', 'a.jpg'])
    expect(stdout).toContain('fix: mediaproc image rotate a.jpg --angle 90\n')
    expect(stdout.match(/fix:/g)).toHaveLength(1)
  })

  test('all mistakes are reported with line, column and suggestion', async () => {
    rules(`rules:
  - name: a
    maxByte: 3
    severity: eror
  - name: a
    maxBytes: 30x
    formats: [webp, avfi]
    fix: { image/resiz: { width: 3 } }
  - name: c
    minWidth:
`)
    const ran = await here.run(['check', 'rules.yaml', 'a.jpg'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr.split('\n').slice(0, -1)).toEqual([
      'rules.yaml:3:5: There is no key maxByte here. Did you mean maxBytes?',
      'rules.yaml:4:15: Expected error or warning for severity, got "eror". Did you mean error?',
      'rules.yaml:5:5: There are two rules called a',
      'rules.yaml:6:15: Expected an integer of at least 1 for maxBytes, got 30x',
      'rules.yaml:8:10: There is no tool image/resiz. Did you mean image/resize?',
      'rules.yaml:10:5: Expected a value for minWidth, got nothing',
      'mediaproc: rules.yaml has 6 mistakes (INVALID_SETTINGS)',
    ])
    rules('a: [b')
    expect((await here.run(['check', 'rules.yaml', 'a.jpg'])).stderr).toMatch(/^rules\.yaml:1:\d+: /)
    rules('- 7\n')
    expect((await here.run(['check', 'rules.yaml', 'a.jpg'])).stderr).toContain('Expected a rule with name and limits')
    expect((await here.run(['check', 'no.yaml', 'a.jpg'])).stderr).toContain('The file of rules no.yaml does not exist')
  })

  test('rules about none of the files are reported', async () => {
    rules("- { name: pdf, files: '*.pdf', maxPages: 2 }\n")
    expect((await here.run(['check', 'rules.yaml', 'a.jpg'])).stderr).toContain(
      'mediaproc: the rule pdf is about none of the files\n',
    )
    expect(await here.run(['check', 'rules.yaml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No file matches the patterns of rules.yaml (NO_FILE)'),
    })
  })
})
