/** The Dockerfile. Without Docker, `node deploy/try.mjs` runs its instructions in a clean Debian. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { assignmentsOf, isIgnored, stagesOf } from '../../deploy/dockerfile.mjs'
import { ENVIRONMENT } from '../../src/environment.ts'
import { PACKS } from '../../src/generate/assets/engine-packs.ts'
import { firstOf } from '../../src/lists.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8')
const stages = stagesOf(read('deploy/Dockerfile'))
const all = (name: string, stage?: string): string[] =>
  [...stages].flatMap(([key, { instructions }]) =>
    stage === undefined || key === stage ? instructions.filter(([one]) => one === name).map(([, rest]) => rest) : [],
  )
/** Packages after `apt-get install` and its options. */
const packagesOf = (text: string): string[] =>
  [...text.matchAll(/apt-get install(?: -\S+)*((?:[ \\\n]+[a-z0-9][a-z0-9.+-]*)+)/g)].flatMap(([, names = '']) =>
    names.split(/[ \\\n]+/).filter((name) => name !== ''),
  )

test('the full image has the programs and packs of docs/engines.md, the slim one the packs of several servers', () => {
  const page = read('docs/engines.md')
  const programs = packagesOf(page.slice(page.indexOf('## Programs of the system')))
  expect(programs).toHaveLength(14)
  expect(packagesOf(all('RUN', 'full').join('\n')).sort()).toEqual(programs.sort())
  expect(packagesOf(all('RUN', 'server').join('\n'))).toEqual(['tini'])
  const packs = all('RUN', 'build').filter((command) => command.includes('engines install'))
  expect(packs).toEqual([
    expect.stringMatching(/packs-slim .* engines install postgres redis s3$/),
    expect.stringMatching(/packs-full .* engines install --all$/),
  ])
  expect(Object.keys(PACKS)).toEqual(expect.arrayContaining(['postgres', 'redis', 's3']))
})

test('both images run as a user without rights, keep their data in /data, and answer at the port of the program', () => {
  for (const target of ['slim', 'full']) {
    expect(all('USER', target)).toEqual(['10001:10001'])
    expect(stages.get(target)?.from).toBe('server')
  }
  const variables = Object.assign({}, ...all('ENV').map(assignmentsOf)) as Record<string, string>
  expect(variables).toMatchObject({ DATA_DIR: '/data', MEDIAPROC_ENGINES: '/opt/packs', HOME: '/tmp' })
  const own = Object.keys(variables).filter((name) => !['NODE_ENV', 'HOME'].includes(name))
  expect(own.filter((name) => !(name in ENVIRONMENT))).toEqual([])
  expect(all('VOLUME')).toEqual(['/data'])
  expect(all('EXPOSE')).toEqual([String(ENVIRONMENT.PORT.default)])
  // Without a shell, which would not pass signals on.
  const [entry] = all('ENTRYPOINT').map((text) => JSON.parse(text) as string[])
  expect(entry).toEqual(['tini', '--', 'node', '/opt/mediaproc/bin/mediaproc.js'])
  expect(JSON.parse(firstOf(all('CMD')))).toEqual(['serve'])
})

test('the health check succeeds with a ready server only', async () => {
  const { createServer } = await import('node:http')
  const [command] = all('HEALTHCHECK')
  const [program, ...args] = JSON.parse(command?.slice(command.indexOf('CMD ') + 4) ?? '') as string[]
  let asked: string | undefined
  let status = 200
  const server = createServer(({ url }, response) => {
    asked = url
    response.writeHead(status).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { spawn } = await import('node:child_process')
  const check = (): Promise<number | null> =>
    new Promise((resolve) =>
      spawn(program === 'node' ? process.execPath : String(program), args, {
        env: { ...process.env, PORT: String(port) },
        stdio: 'ignore',
      }).on('exit', resolve),
    )
  expect([await check(), asked]).toEqual([0, '/api/v1/readyz'])
  status = 503
  expect(await check()).toBe(1)
  server.close()
  server.closeAllConnections()
  expect(await check()).toBe(1)
})

test('the base is pinned to a Node that the program supports', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const version = /^node:(\d+\.\d+\.\d+)-bookworm-slim$/.exec(stages.get('node')?.from ?? '')?.[1] ?? '0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  expect(engines.node).toBe('>=20.18.1')
  expect(major * 100 + minor).toBeGreaterThanOrEqual(2019)
})

test('the build gets what it needs, and neither tests nor secrets', () => {
  const ignore = read('deploy/Dockerfile.dockerignore')
  const files = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const given = files.filter((file) => file !== '' && !isIgnored(ignore, file))
  const { files: shipped } = JSON.parse(read('package.json')) as { files: string[] }
  for (const place of [
    ...shipped.filter((name) => !/^(!|dist\/)/.test(name)),
    'src',
    'tools',
    'tsconfig.json',
    'LICENSE',
  ])
    expect([place, given.some((file) => file === place || file.startsWith(`${place}/`))]).toEqual([place, true])
  const left = [
    'test/smoke/smoke.mjs',
    'deploy/secrets/redis-url',
    '.git/config',
    'node_modules/pg/package.json',
    'bench/run.mjs',
  ]
  expect(left.filter((file) => !isIgnored(ignore, file))).toEqual([])
})
