import { mkdirSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, describe, expect, test } from 'vitest'
import { checkCount } from '../../../src/job/accept.ts'
import { findMemeTemplate, memeTemplates } from '../../../src/media/image/decode/memes.ts'
import memeGenerator from '../../../tools/image/text/meme-generator.ts'
import { inkBounds } from '../../helpers/ink.ts'
import { animation, at, difference, plain, put, readRgba, type Samples } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const GREY = [128, 128, 128]
const ground = await put(folder, 'ground.png', plain(800, 600, '#808080').png())

const captions = (...texts: [string, string][]) => ({ textBoxes: texts.map(([id, text]) => ({ id, text })) })
const made = async (settings: Record<string, unknown>, inputs = [ground]) =>
  run(memeGenerator, folder, inputs, settings)
const pixels = async (settings: Record<string, unknown>, inputs = [ground]) =>
  readRgba((await made(settings, inputs)).paths[0]!)
const bounds = async (settings: Record<string, unknown>) => inkBounds(await pixels(settings), GREY)!

afterEach(() => {
  delete process.env.MEDIAPROC_MEMES
})

describe('templates', () => {
  const IDS = [
    ['drake-hotline-bling', 1200, 1200, 2],
    ['distracted-boyfriend', 1200, 800, 3],
    ['expanding-brain', 860, 1200, 4],
    ['change-my-mind', 960, 720, 1],
    ['two-buttons', 600, 900, 2],
    ['gru-s-plan', 1050, 675, 4],
    ['buff-doge-vs-cheems', 940, 720, 4],
    ['trade-offer', 600, 790, 2],
    ['tuxedo-winnie-the-pooh', 800, 580, 2],
    ['epic-handshake', 900, 645, 3],
    ['sad-pablo-escobar', 720, 710, 3],
    ['bike-fall', 500, 680, 3],
    ['they-re-the-same-picture', 1000, 1120, 3],
    ['running-away-balloon', 760, 1020, 3],
    ['anakin-padme-4-panel', 768, 768, 3],
    ['left-exit-12-off-ramp', 800, 760, 3],
    ['clown-applying-makeup', 750, 800, 4],
    ['panik-kalm-panik', 640, 880, 3],
  ] as const

  test('are the 18 of the catalogue', () => {
    expect(
      memeTemplates()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(IDS.map(([id]) => id).sort())
  })

  test.each(IDS)('%s: %d x %d, with %d text boxes', async (id, width, height, count) => {
    const template = findMemeTemplate(id)!
    expect(template.textBoxes).toHaveLength(count)
    const bare = await readRgba(template.path)
    expect(bare).toMatchObject({ width, height })
    for (const box of template.textBoxes) {
      const { paths, names, report } = await made(
        { templateId: id, fontSize: 40, textColor: '#ff00ff', strokeColor: '#ff00ff', ...captions([box.id, 'X']) },
        [],
      )
      expect(names).toEqual([`meme-${id}.png`])
      expect(report).toEqual({ originalSize: (await stat(template.path)).size })
      const drawn = await readRgba(paths[0]!)
      const middle = {
        x: Math.round(((box.x + box.width / 2) * width) / 100),
        y: Math.round(((box.y + box.height / 2) * height) / 100),
      }
      // Boxes at the top and bottom have their text on the edge.
      if (box.id !== 'top' && box.id !== 'bottom') expect(at(drawn, middle.x, middle.y)).toEqual([255, 0, 255])
      // Only the text is changed.
      const changed = changedBounds(bare, drawn)
      expect(changed.right - changed.left).toBeLessThan(50)
      expect(changed.bottom - changed.top).toBeLessThan(70)
    }
  })

  test('have other names, and drake its older boxes', async () => {
    for (const name of ['drake', 'Drake Hotline Bling', 'DRAKE-HOTLINE-BLING'])
      expect(findMemeTemplate(name)?.id).toBe('drake-hotline-bling')
    const [own, old] = await Promise.all([
      pixels({ templateId: 'drake', ...captions(['reject', 'no'], ['approve', 'yes']) }, []),
      pixels({ templateId: 'drake', ...captions(['top', 'no'], ['bottom', 'yes']) }, []),
    ])
    expect(difference(own, old).most).toBe(0)
  })

  test('take precedence over a file', async () => {
    expect((await made({ templateId: 'trade-offer' })).names).toEqual(['meme-trade-offer.png'])
  })

  test('refuses an unknown one with the list of known ones', () => {
    expect(() => memeGenerator.check!({ templateId: 'nothing' } as never)).toThrow(/no template nothing/)
    try {
      memeGenerator.check!({ templateId: 'nothing' } as never)
    } catch (error) {
      expect((error as { code: string; hint: string }).code).toBe('INVALID_SETTINGS')
      expect((error as { hint: string }).hint).toContain('change-my-mind')
    }
  })

  test('neither a template nor a file', async () => {
    await expect(made({}, [])).rejects.toMatchObject({ code: 'NO_FILE' })
    expect(() => checkCount(memeGenerator.input, 0, 'image/meme-generator')).not.toThrow()
    expect(() => checkCount({ ...memeGenerator.input, min: 1 }, 0, 'image/x')).toThrow(/needs an input file/)
  })

  test("an operator's folder adds and replaces templates", async () => {
    const own = join(folder, 'own')
    mkdirSync(own)
    await put(own, 'red.png', plain(300, 200, '#ff0000').png())
    const box = { id: 'here', x: 10, y: 10, width: 80, height: 80 }
    const templates = ['red', 'trade-offer'].map((id) => ({ id, name: id, filename: 'red.png', textBoxes: [box] }))
    writeFileSync(join(own, 'manifest.json'), JSON.stringify({ version: 1, templates }))
    process.env.MEDIAPROC_MEMES = own
    expect(memeTemplates()).toHaveLength(19)
    const picture = await pixels({ templateId: 'trade-offer', ...captions(['here', 'ok']) }, [])
    expect(picture).toMatchObject({ width: 300, height: 200 })
    expect(inkBounds(picture, [255, 0, 0])).toBeDefined()
  })

  test.each([
    ['nonsense', 'not JSON'],
    ['{}', 'templates is not a list'],
    [
      JSON.stringify({ templates: [{ id: 'a', name: 'a', filename: '../../etc/passwd', textBoxes: [] }] }),
      'templates[0]',
    ],
    [
      JSON.stringify({ templates: [{ id: 'a', name: 'a', filename: 'a.png', textBoxes: [{ id: 'b', x: 500 }] }] }),
      'templates[0]',
    ],
  ])('refuses an invalid manifest: %s', (text, detail) => {
    const own = join(folder, `bad-${detail.length}-${text.length}`)
    mkdirSync(own)
    writeFileSync(join(own, 'manifest.json'), text)
    process.env.MEDIAPROC_MEMES = own
    expect(() => memeTemplates()).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })
})

function changedBounds(one: Samples, other: Samples): { left: number; right: number; top: number; bottom: number } {
  const found = { left: one.width, right: 0, top: one.height, bottom: 0 }
  for (let index = 0; index < one.data.length; index++)
    if (one.data[index] !== other.data[index]) {
      const [x, y] = [Math.floor(index / 4) % one.width, Math.floor(index / 4 / one.width)]
      found.left = Math.min(found.left, x)
      found.right = Math.max(found.right, x)
      found.top = Math.min(found.top, y)
      found.bottom = Math.max(found.bottom, y)
    }
  return found
}

describe('layouts, in percent of the picture', () => {
  test.each([
    ['center', 'center', 50, 50],
    ['side-by-side', 'left', 25, 50],
    ['side-by-side', 'right', 75, 50],
  ])('%s, %s: the middle is %d, %d', async (textLayout, id, x, y) => {
    const { left, right, top, bottom } = await bounds({ textLayout, fontSize: 40, ...captions([id, 'HIH']) })
    expect(Math.abs((left + 800 - right) / 2 - x * 8)).toBeLessThanOrEqual(2)
    expect(Math.abs((top + 600 - bottom) / 2 - y * 6)).toBeLessThanOrEqual(2)
  })

  test.each(['top-bottom', 'top-only', 'bottom-only'])(
    '%s: on the edge, in any shape and number of lines',
    async (textLayout) => {
      for (const [width, height] of [
        [800, 600],
        [600, 1000],
        [1200, 400],
      ] as const) {
        const page = await put(folder, `edge-${width}.png`, plain(width, height, '#808080').png())
        for (const text of ['HIH', 'HIH '.repeat(30).trim()])
          for (const id of ['top', 'bottom'].filter(
            (one) => textLayout === 'top-bottom' || textLayout.startsWith(one),
          )) {
            const { top, bottom } = inkBounds(await pixels({ textLayout, ...captions([id, text]) }, [page]), GREY)!
            // 2 % of the height, and a margin of 8 px or 5 % of the box.
            const box = { 'top-bottom': 0.2, 'top-only': 0.25, 'bottom-only': 0.23 }[textLayout]!
            const edge = 0.02 * height + Math.max(8, 0.05 * box * height)
            expect(Math.abs((id === 'top' ? top : bottom) - edge), `${width} ${id} ${text}`).toBeLessThanOrEqual(3)
          }
      }
    },
  )

  test('other ids and empty texts change nothing', async () => {
    const picture = await pixels(captions(['nowhere', 'HIH'], ['top', ''], ['bottom', '  ']))
    expect(inkBounds(picture, GREY, 0)).toBeUndefined()
  })
})

describe('letters', () => {
  test('fits the size: an eighth of the picture for few words, less for more', async () => {
    // The top box is 720 x 120, its inside 648 x 104 as we read it: an eighth of 600 fits in it.
    const short = await bounds({ fontFamily: 'roboto', ...captions(['top', 'HIH']) })
    const height = 600 - short.top - short.bottom
    // Capitals of Roboto are 0.711 of the size; the outline adds 4 % on both sides.
    expect(Math.abs(height - 1.08 * 0.711 * 75)).toBeLessThanOrEqual(5)
    const long = await pixels(captions(['top', 'some words '.repeat(40)]))
    const { top, bottom, left, right } = inkBounds(long, GREY)!
    expect(top).toBeGreaterThanOrEqual(12)
    expect(600 - bottom).toBeLessThanOrEqual(132)
    expect(Math.min(left, right)).toBeGreaterThanOrEqual(40 + 30)
  })

  test('letters scale with the picture', async () => {
    const large = await put(folder, 'large.png', plain(3200, 2400, '#808080').png())
    const { top, bottom } = inkBounds(await pixels(captions(['top', 'HIH']), [large]), GREY)!
    expect(2400 - top - bottom).toBeGreaterThan(2400 / 12)
  })

  test('keeps fontSize, wraps lines at the inner width', async () => {
    const { left, right, top, bottom } = await bounds({
      textLayout: 'center',
      fontSize: 50,
      ...captions(['center', 'word '.repeat(16)]),
    })
    expect(Math.min(left, right)).toBeGreaterThanOrEqual(80 + 32 - 3)
    expect(600 - top - bottom).toBeGreaterThan(100)
    expect(Math.abs(top - bottom)).toBeLessThanOrEqual(3)
  })

  test('white with a black outline of 4 % of the size, at least 1 px', async () => {
    const big = await pixels({ textLayout: 'center', fontSize: 200, ...captions(['center', 'I']) })
    expect(at(big, 400, 300)).toEqual([255, 255, 255])
    const row = Array.from({ length: 400 }, (_, x) => at(big, x, 300)[0]!)
    const black = row.filter((value) => value < 40).length
    expect(black).toBeGreaterThanOrEqual(6)
    expect(black).toBeLessThanOrEqual(9)
    const small = await pixels({
      textLayout: 'center',
      fontSize: 10,
      strokeColor: '#ff0000',
      ...captions(['center', 'I']),
    })
    expect(inkBounds(small, GREY)).toBeDefined()
  })

  test('colours', async () => {
    const settings = { textLayout: 'center', fontSize: 200, textColor: '#00FF00', strokeColor: '#0000FF' }
    const picture = await pixels({ ...settings, ...captions(['center', 'I']) })
    expect(at(picture, 400, 300)).toEqual([0, 255, 0])
    const row = Array.from({ length: 400 }, (_, x) => at(picture, x, 300))
    expect(row.filter(([red, green, blue]) => red! < 30 && green! < 30 && blue! > 220).length).toBeGreaterThanOrEqual(5)
  })

  test.each(['left', 'center', 'right'])('%s', async (textAlign) => {
    const { left, right } = await bounds({
      textAlign,
      textLayout: 'center',
      fontSize: 50,
      ...captions(['center', 'HI']),
    })
    // The inner box of 80 % of 800, less 5 % of it on both sides.
    const expected = { left: left - 112, center: left - right, right: right - 112 }[textAlign]!
    expect(Math.abs(expected)).toBeLessThanOrEqual(3)
  })

  test('capitals by default', async () => {
    const [usual, upper, asTyped] = await Promise.all([
      pixels(captions(['top', 'straße'])),
      pixels({ allCaps: false, ...captions(['top', 'STRASSE']) }),
      pixels({ allCaps: false, ...captions(['top', 'straße']) }),
    ])
    expect(difference(usual, upper).most).toBe(0)
    expect(difference(usual, asTyped).most).toBeGreaterThan(100)
  })

  test('seven fonts, distinct except for montserrat and arial-black; others are anton', async () => {
    const text = { textLayout: 'center', fontSize: 60, ...captions(['center', 'Rag Rag']) }
    const fonts = ['anton', 'arial-black', 'comic-sans', 'bebas-neue', 'permanent-marker', 'roboto']
    const drawn = await Promise.all(fonts.map((fontFamily) => pixels({ ...text, fontFamily })))
    for (const [index, one] of drawn.entries())
      for (const other of drawn.slice(index + 1)) expect(difference(one, other).mean).toBeGreaterThan(0.1)
    expect(difference(drawn[0]!, await pixels({ ...text, fontFamily: 'impact' })).most).toBe(0)
    expect(difference(drawn[1]!, await pixels({ ...text, fontFamily: 'montserrat' })).most).toBe(0)
  })
})

describe('own pictures', () => {
  test.each([
    ['jpg', 'own.jpg'],
    ['webp', 'own.webp'],
    ['tiff', 'own.png'],
    ['avif', 'own.png'],
  ] as const)('%s comes out as %s', async (format, name) => {
    const path = await put(
      folder,
      `own.${format}`,
      plain(200, 150, '#808080').toFormat(format === 'jpg' ? 'jpeg' : format),
    )
    expect((await made(captions(['top', 'hi']), [path])).names).toEqual([name])
  })

  test('animations: every frame', async () => {
    const gif = await animation(`${folder}/two.gif`, ['#ff0000', '#0000ff'], { width: 200, height: 160 })
    const { paths } = await made({ textLayout: 'center', fontSize: 60, ...captions(['center', 'I']) }, [gif])
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ pages: 2, format: 'gif' })
    for (const page of [0, 1]) expect(at(await readRgba(paths[0]!, page), 100, 80)).toEqual([255, 255, 255])
  })

  test('transparent ones stay transparent', async () => {
    const clear = await put(folder, 'clear.png', plain(200, 160, '#00000000').png())
    const picture = await pixels({ textLayout: 'center', fontSize: 60, ...captions(['center', 'I']) }, [clear])
    expect(at(picture, 100, 80)).toEqual([255, 255, 255])
    expect(at(picture, 3, 3)).toEqual([0, 0, 0, 0])
  })

  test('a word of 4000 letters, and emoji', async () => {
    const picture = await pixels(captions(['top', 'a'.repeat(4000)], ['bottom', '😀👍🏽']))
    expect(inkBounds(picture, GREY)).toBeDefined()
  })
})
