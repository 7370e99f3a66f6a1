import { expect, test } from 'vitest'
import { parseColour } from '../../src/tool/values/colour.ts'

// The values are those of CSS Color Module Level 4 and of browsers.
test.each([
  ['red', '#ff0000'],
  ['RebeccaPurple', '#663399'],
  ['darkslategrey', '#2f4f4f'],
  ['transparent', '#00000000'],
  ['#f00', '#ff0000'],
  ['#f00c', '#ff0000cc'],
  ['#FF0000CC', '#ff0000cc'],
  ['rgb(255, 0, 0)', '#ff0000'],
  ['rgb(255 0 0)', '#ff0000'],
  ['rgb( 255 0 0 / 50% )', '#ff000080'],
  ['rgb(255 0 0/.5)', '#ff000080'],
  ['rgba(255,0,0,0.5)', '#ff000080'],
  ['rgb(100% 50% 0%)', '#ff8000'],
  ['rgb(300 -5 127.6)', '#ff0080'],
  ['RGB(1 2 3 / 1)', '#010203'],
  ['hsl(0 100% 50%)', '#ff0000'],
  ['hsl(120deg, 100%, 25%)', '#008000'],
  ['hsl(-120 100% 50%)', '#0000ff'],
  ['hsl(0.5turn 100 50)', '#00ffff'],
  ['hsla(210, 50%, 40%, 25%)', '#33669940'],
])('%s is %s', (text, expected) => expect(parseColour(text)).toBe(expected))

test.each([
  '',
  'reddish',
  '#12345',
  '#ggg',
  'rgb(1 2)',
  'rgb(1 2 3 4)',
  'rgb(1, 2 3)',
  'rgb(1 2 3 / 4 / 5)',
  'rgb(a b c)',
  'rgb(1e9 0 0)',
  'hsl(50% 100% 50%)',
  'constructor',
  ' red',
  'red\n',
  `rgb(${' '.repeat(100)}1 2 3)`,
])('%j is not a colour', (text) => expect(parseColour(text)).toBeUndefined())
