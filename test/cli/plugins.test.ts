/** Plugins, with the built program: they import `mediaproc/tool`, which only a build has. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../src/root.ts'
import { usePluginScene } from '../helpers/plugin-scene.ts'
import { namesIn } from '../helpers/program.ts'

const scene = usePluginScene()
const { at, run, script, serve } = scene

/** A tool that makes pictures as dark as it is asked to. */
const darken = (id = 'darken', more = '') => `
  import { imageTool, MediaprocError, number } from 'mediaproc/tool'
  export default imageTool({
    id: '${id}', summary: 'Make a picture darker.',
    settings: { factor: number('share of the light that stays', { default: 0.5, min: 0, max: 1 }) },
    examples: [{ title: 'half of the light', settings: { factor: 0.5 } }],
    check: ({ factor }) => { if (factor === 0.25) throw new MediaprocError('INVALID_SETTINGS', 'not a quarter') },
    transform: (frame, { factor }) => frame.apply((image) => image.linear(factor)), ${more}
  })`

const lightOf = async (name: string): Promise<number> => (await sharp(at(name)).stats()).channels[0]!.mean

beforeEach(async () => {
  mkdirSync(at('tools'))
  writeFileSync(at('tools/darken.mjs'), darken())
  writeFileSync(at('tools/_shared.mjs'), 'throw new Error("not a tool")')
  const grey = sharp({ create: { width: 8, height: 8, channels: 3, background: '#c8c8c8' } })
  writeFileSync(at('a.png'), await grey.png().toBuffer())
})

describe('a tool of a folder', () => {
  test('has flags, checks, help, pipelines, records and completion as others', async () => {
    const plugin = ['--plugin', './tools']
    expect(run(['image', 'tools.darken', 'a.png', '--factor', '0.1', ...plugin])).toMatchObject({
      code: 0,
      stdout: 'a_darken.png\n',
    })
    expect(await lightOf('a_darken.png')).toBe(20)
    const wrong = run(['image', 'tools.darken', 'a.png', '--factor', '7', ...plugin])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--factor')])
    expect(run(['image', 'tools.darken', 'a.png', '--factor', '0.25', ...plugin]).stderr).toContain(
      'not a quarter (INVALID_SETTINGS)',
    )
    expect(run(['image', 'tools.darken', '--help', ...plugin]).stdout).toContain('share of the light')
    expect(run(['__complete', ...plugin, 'image', 'tools.']).stdout).toBe('tools.darken\n')
    expect(run(['image', 'tools.darkn', 'a.png', ...plugin]).stderr).toContain('Did you mean image/tools.darken?')
    const listed = JSON.parse(run(['tools', 'image', '--json', ...plugin]).stdout)
    expect(listed.find(({ id }: { id: string }) => id === 'tools.darken')).toMatchObject({
      plugin: 'tools',
      section: 'image',
    })
    writeFileSync(
      at('p.yaml'),
      'steps:\n  - image/tools.darken: { factor: 0.5 }\n  - image/tools.darken: { factor: 0.5 }\n',
    )
    const piped = run(['run', 'p.yaml', 'a.png', '--json', ...plugin])
    expect(JSON.parse(piped.stdout).steps.at(-1)).toMatchObject({ tool: 'image/tools.darken', fused: 2 })
    expect(await lightOf('a_p.png')).toBe(50)
    expect(run(['pipeline', 'validate', 'p.yaml']).stderr).toContain('image/tools.darken')
  })

  test('is used by a configuration that the user trusts, by the environment, and by --config', () => {
    writeFileSync(at('mediaproc.config.yaml'), 'plugins: [./tools]\n')
    const call = ['image', 'tools.darken', 'a.png', '--force']
    const before = run(call)
    expect([before.code, before.stderr]).toEqual([2, expect.stringContaining('mediaproc plugins trust')])
    expect(run(['image', 'info', 'a.png']).code).toBe(0)
    expect(run([...call, '--config', 'mediaproc.config.yaml']).code).toBe(0)
    expect(run(call, { MEDIAPROC_PLUGINS: [at('tools'), at('tools')].join(delimiter) }).code).toBe(0)
    expect(run(['plugins']).stdout).toContain('not trusted')
    expect(run(['plugins', 'trust']).code).toBe(0)
    expect(run(call)).toMatchObject({ code: 0, stderr: '' })
    expect(run(['plugins']).stdout).toContain('image/tools.darken')
    // Another list is not the one that was trusted.
    writeFileSync(at('mediaproc.config.yaml'), 'plugins: [./tools, ./more]\n')
    expect(run(call).code).toBe(2)
    writeFileSync(at('mediaproc.config.yaml'), 'plugins: [./tools]\n')
    expect(run(['plugins', 'distrust']).code).toBe(0)
    expect(run(call).code).toBe(2)
  })

  test('is offered by a server that is asked to', async () => {
    writeFileSync(at('mediaproc.config.yaml'), 'plugins: [./tools]\n')
    const child = serve('--plugin', './tools')
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const base = line.toString().trim()
      const body = new FormData()
      body.set('file', new Blob([readFileSync(at('a.png'))]), 'a.png')
      body.set('settings', '{"factor":0.1}')
      const answer = await fetch(`${base}/api/v1/tools/image/tools.darken`, { method: 'POST', body })
      const { downloadUrl } = (await answer.json()) as { downloadUrl: string }
      writeFileSync(at('served.png'), Buffer.from(await (await fetch(base + downloadUrl)).arrayBuffer()))
      expect(await lightOf('served.png')).toBe(20)
      expect(await (await fetch(`${base}/api/v1/openapi.yaml`)).text()).toContain('/api/v1/tools/image/tools.darken:')
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
})

test('a package has its own name, engines and promises', () => {
  const home = at('node_modules/mediaproc-plugin-brand')
  mkdirSync(join(home, 'lib'), { recursive: true })
  writeFileSync(
    join(home, 'package.json'),
    '{"name":"mediaproc-plugin-brand","type":"module","exports":{".":{"import":"./lib/main.js"}}}',
  )
  writeFileSync(join(home, 'lib/darken.js'), darken('stamp', "engines: ['ink'],"))
  writeFileSync(
    join(home, 'lib/main.js'),
    `import { plugin } from 'mediaproc/tool'
     import stamp from './darken.js'
     const ink = { id: 'ink', purpose: 'ink', kind: 'library', licence: 'MIT', install: 'buy ink', blocking: true,
       prepare: async () => {}, probe: async () => ({ available: true, version: '7' }) }
     export default plugin({ tools: [stamp], engines: [ink] })`,
  )
  const plugin = ['--plugin=mediaproc-plugin-brand']
  // Its engine blocks, so the step runs on a thread, which loads the plugin as well.
  expect(run(['image', 'brand.stamp', 'a.png', ...plugin])).toMatchObject({ code: 0, stdout: 'a_stamp.png\n' })
  expect(run(['doctor', ...plugin]).stdout).toMatch(/^ink +yes +7 +1/m)
  writeFileSync(
    at('promises.mjs'),
    `import { usePlugins, run } from '${new URL('dist/src/index.js', ROOT).href}'
     import { promiseTests } from '${new URL('dist/src/library/promise-tests.js', ROOT).href}'
     const [{ tools }] = await usePlugins(['mediaproc-plugin-brand'])
     const { outputs } = await run(tools[0], 'a.png', {}, { as: 'buffer' })
     console.log(tools[0], outputs[0].name)
     const { default: tool } = await import('mediaproc-plugin-brand/lib/darken.js').catch(() => import('./node_modules/mediaproc-plugin-brand/lib/darken.js'))
     const tests = promiseTests(tool, { inputs: ['a.png'] })
     for (const { run } of tests) await run()
     const failing = promiseTests({ ...tool, step: { transform: (frame) => { throw new TypeError('a fault') } } }, { inputs: ['a.png'] })
     const failed = await Promise.allSettled(failing.map(({ run }) => run()))
     console.log(tests.length, failed.filter(({ status }) => status === 'rejected').length)`,
  )
  const own = script('promises.mjs')
  expect(own.stderr).toBe('')
  expect(own.stdout).toMatch(/^image\/brand\.stamp a_stamp\.png\n7 [3-7]\n$/)
})

describe('what cannot be used is a clear error, and changes nothing else', () => {
  test.each<[string, string, RegExp]>([
    ['throws', 'throw new Error("oops\\nat line 1")', /cannot be used: oops$/m],
    ['has a mistake of syntax', 'export default {', /cannot be used: Unexpected end/],
    ['exports nothing', 'export const a = 1', /x\.mjs exports no tool/],
    ['exports something else', 'export default { id: "x" }', /x\.mjs|section|mediaproc\/tool/],
    ['has a bad id', darken('Not An Id'), /"Not An Id"/],
    ['imports what is not there', 'import "nowhere"', /nowhere/],
  ])('a tool that %s', (_what, text, message) => {
    mkdirSync(at('bad'))
    writeFileSync(at('bad/x.mjs'), text)
    const { code, stderr, stdout } = run(['image', 'tools.darken', 'a.png', '--plugin', './bad', '--plugin', './tools'])
    expect([code, stdout]).toEqual([0, 'a_darken.png\n'])
    expect(stderr).toMatch(/^mediaproc: warning: The plugin .*bad/)
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    const served = run(['serve', '--port', '0', '--data', at('store'), '--plugin', './bad'])
    expect([served.code, served.stderr]).toEqual([2, expect.stringContaining('INVALID_PLUGIN')])
  })

  test('a folder or package that is not there, and no name', () => {
    expect(run(['image', 'info', 'a.png', '--plugin', './none'])).toMatchObject({ code: 2, stdout: '' })
    expect(run(['image', 'info', 'a.png', '--plugin', 'none']).stderr).toContain('npm install none')
    expect(run(['image', 'info', 'a.png', '--plugin']).stderr).toContain('--plugin')
    expect(namesIn(at('tools'))).toEqual(['_shared.mjs', 'darken.mjs'])
  })
})
