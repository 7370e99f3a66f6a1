import sharp from 'sharp'
import { expect, test } from 'vitest'
import imageEnhancement from '../../../tools/image/colour/image-enhancement.ts'
import { put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const gradient = (id: string, ...stops: string[]) =>
  `<linearGradient id="${id}" x2="0" y2="1">${stops.map((colour, at) => `<stop offset="${at / (stops.length - 1)}" stop-color="${colour}"/>`).join('')}</linearGradient>`
const area = (fill: string, y: number, height: number) =>
  `<rect y="${y}" width="160" height="${height}" fill="${fill}"/>`

/** Drawn scenes whose colours are right: nothing in them shows a cast. */
const SCENES = {
  sea:
    gradient('a', '#4f9fd8', '#8cc4e8') +
    gradient('b', '#1f6fa8', '#0a3f6b') +
    area('url(#a)', 0, 50) +
    area('url(#b)', 50, 70),
  sunset: gradient('a', '#5a2a4a', '#e0662a', '#ffc070') + area('url(#a)', 0, 80) + area('#1c1014', 80, 40),
  snow:
    gradient('a', '#7fb0e0', '#cfe2f4') +
    area('url(#a)', 0, 40) +
    area('#f2f5fa', 40, 80) +
    '<path d="M20 80l12-40 12 40z" fill="#14241a"/>',
  night:
    area('#06080f', 0, 120) +
    '<g fill="#ffd890"><rect x="30" y="60" width="6" height="8"/><rect x="60" y="50" width="6" height="8"/><rect x="110" y="66" width="8" height="8"/></g>' +
    area('#11141c', 90, 30),
  forest:
    gradient('a', '#2f5a2a', '#173a16') +
    area('url(#a)', 0, 120) +
    '<g fill="#1e150d"><rect x="20" width="10" height="120"/><rect x="90" width="14" height="120"/></g><circle cx="60" cy="30" r="16" fill="#6f9a3c"/>',
  skin:
    area('#8a8f94', 0, 120) +
    gradient('a', '#e8b898', '#b07858') +
    '<ellipse cx="80" cy="62" rx="38" ry="50" fill="url(#a)"/><rect x="50" y="6" width="60" height="22" fill="#2a1c14"/>',
  product:
    area('#fafafa', 0, 120) +
    '<rect x="50" y="30" width="60" height="70" rx="6" fill="#c8242c"/><rect x="60" y="44" width="40" height="12" fill="#202020"/>',
  screenshot:
    area('#ffffff', 0, 120) +
    area('#2b5fd9', 0, 16) +
    '<g fill="#303030"><rect x="10" y="30" width="120" height="5"/><rect x="10" y="42" width="90" height="5"/><rect x="10" y="54" width="110" height="5"/></g>',
} as const

const picture = (scene: string) =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="160" height="120">${scene}</svg>`)).removeAlpha()

/** Mean colour, mean saturation, and the darkest and lightest percent, 0 to 255. */
function figures({ data, channels }: { data: ArrayLike<number>; channels: number }) {
  const sums = [0, 0, 0]
  const light: number[] = []
  let saturation = 0
  for (let at = 0; at < data.length; at += channels) {
    const pixel = [0, 1, 2].map((channel) => data[at + channel] ?? 0)
    pixel.forEach((value, channel) => {
      sums[channel] = (sums[channel] ?? 0) + value
    })
    const most = Math.max(...pixel)
    saturation += most === 0 ? 0 : (most - Math.min(...pixel)) / most
    light.push(pixel.reduce((sum, value) => sum + value, 0) / 3)
  }
  light.sort((one, other) => one - other)
  const count = light.length
  const [red = 0, green = 0, blue = 0] = sums.map((sum) => sum / count)
  return {
    warmth: (red - blue) / Math.max(1, red + green + blue),
    saturation: saturation / count,
    black: light[Math.floor(count * 0.01)] ?? 0,
    white: light[Math.floor(count * 0.99)] ?? 0,
  }
}

async function enhanced(name: keyof typeof SCENES, mode: string) {
  const input = await put(folder, `${name}-${mode}.png`, picture(SCENES[name]).png())
  const before = figures(await readPixels(input))
  const after = figures(await readPixels((await run(imageEnhancement, folder, [input], { mode })).paths[0] ?? ''))
  return { before, after }
}

test.each(Object.keys(SCENES) as (keyof typeof SCENES)[])(
  '%s keeps its colours, its blacks and its whites',
  async (name) => {
    for (const mode of ['auto', 'low-light']) {
      const { before, after } = await enhanced(name, mode)
      expect(after.saturation, mode).toBeGreaterThan(before.saturation - 0.03)
      // The navy sky of the night, nearly black before, becomes visibly blue when it is brightened.
      expect(Math.abs(after.warmth - before.warmth), mode).toBeLessThan(name === 'night' ? 0.06 : 0.04)
      expect(after.black, mode).toBeLessThan(before.black + 6)
      expect(after.white, mode).toBeGreaterThan(before.white - 6)
    }
  },
)

test('a cast of the light is corrected: grey in it shows the direction', async () => {
  const scene = area('#b0a080', 0, 60) + area('#605848', 60, 60)
  for (const [name, swap, sign] of [
    ['warm', false, -1],
    ['cold', true, 1],
  ] as const) {
    const turned = swap ? scene.replaceAll('#b0a080', '#80a0b0').replaceAll('#605848', '#485860') : scene
    const input = await put(folder, `${name}.png`, picture(turned).png())
    const before = figures(await readPixels(input))
    const { paths } = await run(imageEnhancement, folder, [input], { mode: 'color' })
    const after = figures(await readPixels(paths[0] ?? ''))
    expect((after.warmth - before.warmth) * sign, name).toBeGreaterThan(0.005)
  }
})

/** Means of the rows of a picture without structure across, each channel on its own. */
const rowsOf = ({ data, width, channels }: { data: ArrayLike<number>; width: number; channels: number }) =>
  Array.from({ length: data.length / channels / width }, (_, y) => data[(y * width + (width >> 1)) * channels] ?? 0)

test('a gradient keeps its fine steps: no bands', async () => {
  // Every value of 8 bits fills nine rows.
  const brown = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="480">${gradient('a', '#a08060', '#6d4d33')}<rect width="64" height="480" fill="url(#a)"/></svg>`
  const input = await put(folder, 'brown.png', sharp(Buffer.from(brown)).removeAlpha().png())
  const given = rowsOf(await readPixels(input))
  for (const [mode, least, most] of [
    ['auto', 1, 1.3],
    ['contrast', 2, 6],
  ] as const) {
    const found = rowsOf(await readPixels((await run(imageEnhancement, folder, [input], { mode })).paths[0] ?? ''))
    const gain = ((found[0] ?? 0) - (found[479] ?? 0)) / ((given[0] ?? 0) - (given[479] ?? 0))
    expect(gain, mode).toBeGreaterThanOrEqual(least)
    expect(gain, mode).toBeLessThan(most)
    // Without slopes between the values of 8 bits, each step would be as large as the gain.
    const steps = found.slice(1).map((value, y) => Math.abs(value - (found[y] ?? 0)))
    expect(Math.max(...steps.slice(12, -12)), mode).toBeLessThanOrEqual(1)
  }
})

const deviationOf = (samples: { data: ArrayLike<number>; channels: number }) => {
  const values = Array.from(samples.data)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}
const meanOf = ({ data }: { data: ArrayLike<number> }) =>
  Array.from(data).reduce((sum, value) => sum + value, 0) / data.length

test('a dark sky stays dark, black bars do not lighten the picture between them, a pale board stays pale', async () => {
  const enhancedOf = async (name: string, scene: string) => {
    const input = await put(folder, `${name}.png`, picture(scene).png())
    const { paths } = await run(imageEnhancement, folder, [input])
    return { before: await readPixels(input), after: await readPixels(paths[0] ?? '') }
  }
  const lamps = '<g fill="#fff0c0"><circle cx="40" cy="104" r="4"/><circle cx="120" cy="100" r="5"/></g>'
  const dusk = await enhancedOf('dusk', gradient('a', '#16284c', '#22365c') + area('url(#a)', 0, 120) + lamps)
  expect(meanOf(dusk.after) / meanOf(dusk.before)).toBeLessThan(1.35)
  const stripes = Array.from(
    { length: 40 },
    (_, at) => `<rect x="${40 + at * 2}" width="1" height="120" fill="#d8c8b8"/>`,
  )
  const bars = `${area('#000', 0, 120)}<rect x="40" width="80" height="120" fill="#605850"/>${stripes.join('')}`
  const framed = await enhancedOf('bars', bars)
  expect(meanOf(framed.after) / meanOf(framed.before)).toBeLessThan(1.1)
  const grain = Array.from({ length: 80 }, (_, at) => `<rect x="${at * 2}" width="1" height="120" fill="#c0c498"/>`)
  const pale = await enhancedOf('pale', area('#d8dcb4', 0, 120) + grain.join(''))
  expect(deviationOf(pale.after) / deviationOf(pale.before)).toBeLessThan(2)
  expect(meanOf(pale.after) / meanOf(pale.before)).toBeGreaterThan(0.9)
})
