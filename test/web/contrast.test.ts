import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contrast, DARK, LEAST_CONTRAST, LIGHT, schemeOf } from '../../web/src/app/contrast.ts'

const tokens = readFileSync(new URL('../../web/src/styles/tokens.css', import.meta.url), 'utf8')

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3)
  expect(contrast('#ff0000', '#ff0000')).toBe(1)
})

test('the grounds are those of the style sheet', () => {
  const themes = {
    light: tokens.split(':root[data-theme="dark"]')[0]!,
    dark: tokens.split(':root[data-theme="dark"]')[1]!,
  }
  const groundsOf = (theme: string) =>
    ['card', 'ground', 'sunken'].map((name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(theme)?.[1])
  expect([groundsOf(themes.light), groundsOf(themes.dark)]).toEqual([LIGHT.grounds, DARK.grounds])
})

test('a colour with enough contrast is used as it is', () => {
  expect(schemeOf('#1a3a8a', LIGHT).accent).toBe('#1a3a8a')
  expect(schemeOf('#ffcc00', DARK).accent).toBe('#ffcc00')
})

test.each(['light', 'dark'])('text in any brand colour is readable on %s pages, and on its own buttons', (name) => {
  const theme = name === 'light' ? LIGHT : DARK
  const levels = ['00', '33', '66', '99', 'cc', 'ff']
  const faults = levels.flatMap((red) =>
    levels.flatMap((green) =>
      levels.flatMap((blue) => {
        const wanted = `#${red}${green}${blue}`
        const { accent, hover, soft, on } = schemeOf(wanted, theme)
        const pairs = [...theme.grounds, soft].map((ground) => [accent, ground] as const)
        const all = [...pairs, [on, accent] as const, [on, hover] as const]
        return all.filter(([one, other]) => contrast(one, other) < LEAST_CONTRAST).map((pair) => [wanted, ...pair])
      }),
    ),
  )
  expect(faults).toEqual([])
})
