/** The package as users get it: packed, and installed from the registry outside of the checkout. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { OUTSIDE, packageOf } from '../../src/generate/assets/outside.ts'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { makePdf } from '../helpers/pdf.ts'
import { temporaryFolder } from '../helpers/program.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PASSWORD = 'Start-Passw0rd-1'
const folder = temporaryFolder()
afterEveryFile(() => folder.remove())
const at = (...parts: string[]): string => join(folder.path, ...parts)

/** Without anything of this checkout, its caches and its engines. */
const env = {
  PATH: process.env.PATH,
  HOME: folder.path,
  TMPDIR: folder.path,
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(npm_config_|https?_proxy$|no_proxy$|NODE_EXTRA)/i.test(name)),
  ),
  MEDIAPROC_ENGINES: at('engines'),
  MEDIAPROC_CACHE_DIR: at('records'),
}

function run(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(at('node_modules', '.bin', 'mediaproc'), args, {
    ...{ cwd: folder.path, env, encoding: 'utf8' as const },
  })
  return { code: status, stdout, stderr }
}

/** Apparent size in bytes, and number of packages. */
function measure(): { bytes: number; packages: number } {
  const all = readdirSync(at('node_modules'), { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0)
  const isPackage = ({ parentPath, name }: { parentPath: string; name: string }): boolean =>
    name === 'package.json' && /[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@]+$/.test(parentPath)
  return { bytes, packages: files.filter(isPackage).length }
}

interface Archive {
  filename: string
  files: { path: string }[]
}

/** The files of the package. To pack takes 44 s of processor time, also with `--dry-run`: it happens once. */
let packed: readonly string[] = []

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

beforeAll(async () => {
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { cwd: folder.path, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [archive] = JSON.parse(npm('pack', ROOT, '--ignore-scripts', '--json')) as [Archive]
  packed = archive.files.map(({ path }) => path)
  writeFileSync(at('package.json'), '{"private":true}')
  // Without scripts, as newer versions of npm do by default: ffmpeg is that of the machine.
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', at('cache')]
  npm('install', ...options, `./${archive.filename}`)
  // Grain: drawings are traced without an engine.
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  await sharp({ create: { width: 60, height: 40, channels: 3, background: '#a33', noise } })
    .jpeg()
    .toFile(at('photo.jpg'))
  writeFileSync(at('pages.pdf'), await makePdf({ pages: 2 }))
  writeFileSync(at('table.csv'), 'name,count\nÄpfel,3\nBirnen,5\n')
}, 240_000)

test('everything linked in the README is in the package', () => {
  const links = [...read('README.md').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, target]) => normalize(target!))
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter((link) => !packed.some((path) => path === link || path.startsWith(`${link}/`)))).toEqual([])
})

test('the package has every module that its modules import, and imports only packages that users install', () => {
  const files = new Set(packed)
  const missing: string[] = []
  for (const path of files) {
    if (!/^dist\/(?:src|tools)\/.*\.js$/.test(path)) continue
    const text = read(path)
    const imports = text.matchAll(/^(?:import|export)\s[^'";]*?from\s+['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm)
    for (const [, fixed, lazy] of imports) {
      const target = (fixed ?? lazy)!
      if (!target.startsWith('.') && !isBuiltin(target) && !OUTSIDE.has(packageOf(target)))
        missing.push(`${path} imports ${target}`)
    }
    // Modules in quotes, also those that are imported in another form or started by path.
    for (const [, target] of text.matchAll(/["'`]((?:\.{1,2}|src|tools)\/[^"'`\n]+\.js)["'`]/g)) {
      const name = normalize(target!.startsWith('.') ? `${dirname(path)}/${target}` : `dist/${target}`)
      if (!files.has(name) && existsSync(join(ROOT, name))) missing.push(`${path} uses ${target}`)
    }
  }
  expect(files.size).toBeGreaterThan(1000)
  expect(missing).toEqual([])
})

test('it is at most 120 MB in at most 40 packages, those of ffmpeg-static included', () => {
  const { bytes, packages } = measure()
  expect(bytes).toBeLessThan(120_000_000)
  expect(packages).toBeLessThanOrEqual(40)
})

test('pictures, PDFs and tables work at once', async () => {
  expect(run('image', 'resize', 'photo.jpg', '--width', '30', '-o', 'small.webp')).toMatchObject({ code: 0 })
  expect(await sharp(at('small.webp')).metadata()).toMatchObject({ format: 'webp', width: 30, height: 20 })
  expect(run('image', 'barcode-generate', '--text', '4006381333931', '-o', 'code.png')).toMatchObject({ code: 0 })
  expect(run('pdf', 'rotate-pdf', 'pages.pdf', '-o', 'turned.pdf')).toMatchObject({ code: 0 })
  expect(readFileSync(at('turned.pdf'), 'latin1').slice(0, 5)).toBe('%PDF-')
  expect(run('files', 'csv-excel', 'table.csv', '-o', 'table.xlsx')).toMatchObject({ code: 0 })
  expect(run('files', 'csv-json', 'table.csv', '-o', 'table.json')).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(at('table.json'), 'utf8'))[0]).toMatchObject({ name: 'Äpfel' })
})

test('the client of the HTTP API can be imported, with its types', () => {
  const types = ['client', 'schema', 'openapi-fetch', 'openapi-typescript-helpers'].map(
    (name) => `dist/src/client/${name}.d.ts`,
  )
  expect(packed).toEqual(expect.arrayContaining(types))
  const code = "import { MediaprocClient } from 'mediaproc/client'; new MediaprocClient({ url: 'https://a.example' })"
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder.path, env })
})

test('video works at once where the machine has ffmpeg', () => {
  const size = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1', at('clip.mp4')]
  execFileSync('ffmpeg', ['-v', 'error', ...size])
  expect(run('video', 'resize-video', 'clip.mp4', '--width', '32', '-o', 'small.mp4')).toMatchObject({ code: 0 })
  expect(existsSync(at('small.mp4'))).toBe(true)
})

test('the server has its documentation pages, and names the command for its operator instead of installing anything', async () => {
  const child = spawn(at('node_modules', '.bin', 'mediaproc'), ['serve', '--port', '0', '--data', at('data')], {
    ...{ cwd: folder.path, env: { ...env, DEFAULT_PASSWORD: PASSWORD, SKIP_MUST_CHANGE_PASSWORD: 'true' } },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const base = line.toString().trim()
    const page = await fetch(`${base}/api/docs`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('swagger-ui')])
    expect((await fetch(`${base}/api/docs/static/swagger-ui-bundle.js`)).status).toBe(200)
    const login = await fetch(`${base}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: PASSWORD }),
    })
    const { token } = (await login.json()) as { token: string }
    const form = new FormData()
    form.set('file', new Blob([readFileSync(at('photo.jpg'))]), 'photo.jpg')
    form.set('settings', '{"colorMode":"color"}')
    const answer = await fetch(`${base}/api/v1/tools/image/vectorize`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    })
    expect([answer.status, await answer.json()]).toEqual([501, expect.objectContaining({ code: 'ENGINE_UNAVAILABLE' })])
  } finally {
    child.kill()
    await ended
  }
})

test('a rare engine is installed on request, and otherwise its command is named', () => {
  const missing = run('image', 'vectorize', 'photo.jpg', '--color-mode', 'color', '-o', 'drawing.svg')
  expect(missing.code).toBe(3)
  expect(missing.stderr).toContain('Install it with: mediaproc engines install vectorizer')
  expect(existsSync(at('drawing.svg'))).toBe(false)
  expect(run('doctor').stdout).toContain('install: mediaproc engines install vectorizer')
  const given = run(
    ...['image', 'vectorize', 'photo.jpg', '--color-mode', 'color', '-o', 'drawing.svg', '--install-engines'],
  )
  expect([given.code, given.stderr]).toEqual([0, expect.stringContaining('installing the engine pack vectorizer')])
  expect(readFileSync(at('drawing.svg'), 'utf8')).toContain('<svg ')
  expect(run('engines', 'list').stdout).toMatch(/vectorizer +installed/)
  expect(run('engines', 'remove', 'vectorizer').code).toBe(0)
  writeFileSync(at('steps.yaml'), 'steps:\n  - image/vectorize: { colorMode: color }\n')
  expect(run('run', 'steps.yaml', 'photo.jpg', '-d', 'drawn', '--install-engines')).toMatchObject({ code: 0 })
  expect(readdirSync(at('drawn'))).toEqual(['photo_steps.svg'])
})

test('the plugin of formats is a package beside it', async () => {
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { cwd: folder.path, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [archive] = JSON.parse(npm('pack', join(ROOT, 'plugins/formats'), '--ignore-scripts', '--json')) as [Archive]
  expect(archive.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'dist/index.js']))
  expect(archive.files.filter(({ path }) => /src|test/.test(path))).toEqual([])
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', at('cache'), `./${archive.filename}`)
  // It uses the libvips that is there.
  expect(existsSync(at('node_modules/mediaproc-plugin-formats/node_modules'))).toBe(false)
  const plugin = ['--plugin', 'mediaproc-plugin-formats']
  expect(run('image', 'convert', 'photo.jpg', '--format', 'sgi', ...plugin)).toMatchObject({
    code: 0,
    stdout: 'photo.sgi\n',
  })
  writeFileSync(at('mediaproc.config.yaml'), 'plugins: [mediaproc-plugin-formats]\n')
  expect(run('plugins', 'trust').code).toBe(0)
  expect(run('image', 'convert', 'photo.sgi', '--format', 'xpm')).toMatchObject({
    code: 0,
    stdout: 'photo.xpm\n',
    stderr: '',
  })
  expect(run('image', 'resize', 'photo.xpm', '--width', '30', '-o', 'sgi.png')).toMatchObject({ code: 0, stderr: '' })
  expect(await sharp(at('sgi.png')).metadata()).toMatchObject({ width: 30, height: 20 })
})

test('programs use it as a library', () => {
  writeFileSync(at('use.mjs'), "import { tools } from 'mediaproc'\nconsole.log(tools().length > 100)\n")
  expect(execFileSync(process.execPath, [at('use.mjs')], { env, encoding: 'utf8' })).toBe('true\n')
})
