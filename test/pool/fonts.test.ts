import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { plain, put, readPixels } from '../helpers/picture.ts'
import { testPool, toolTask } from '../helpers/pool.ts'
import { buildProgram, runProgram } from '../helpers/program.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const SETTINGS = { text: 'Handgloves', fontSize: 40, shadow: false }
let picture: string

beforeAll(async () => {
  buildProgram()
  picture = await put(folder, 'plain.png', plain(300, 100, '#000000').png())
})

afterEach(() => {
  delete process.env.FONTCONFIG_FILE
})

/** A fontconfig with a single font. */
function ownFonts(): string {
  const fonts = join(folder, 'fonts')
  mkdirSync(fonts)
  const font = 'permanent-marker-latin-400-normal.ttf'
  copyFileSync(fileURLToPath(new URL(`../../dist/fonts/${font}`, import.meta.url)), join(fonts, font))
  const path = join(folder, 'own.conf')
  const cache = join(folder, 'cache')
  writeFileSync(path, `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>`)
  return path
}

async function drawnInChild(): Promise<Buffer> {
  const task = toolTask(folder, 'image/text-overlay', [picture], SETTINGS)
  const { outputs } = await testPool().run(task)
  return (await readPixels(join(task.destination, outputs[0]!.name))).data
}

test('text looks the same on the command line and in a server process, also with custom fonts', async () => {
  const usual = await drawnInChild()
  const configuration = ownFonts()
  process.env.FONTCONFIG_FILE = configuration
  const inChild = await drawnInChild()
  const output = join(folder, 'shell.png')
  const flags = ['--text', SETTINGS.text, '--font-size', '40', '--no-shadow', '-o', output]
  const environment = { FONTCONFIG_FILE: configuration }
  const { code } = await runProgram(['image', 'text-overlay', picture, ...flags], { cwd: folder, environment })
  expect(code).toBe(0)
  expect(inChild.equals((await readPixels(output)).data)).toBe(true)
  expect(inChild.equals(usual)).toBe(false)
})
