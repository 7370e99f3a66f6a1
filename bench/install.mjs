// npm run bench:install [-- --save]: time and size of the packed program, installed from nothing: an empty folder and an empty
// cache of npm, with the registry that npm is configured for. --save writes the tables into bench/README.md.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { saveBlock } from './save.mjs'
import { withSpread } from './statistics.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-install-'))
const ROUNDS = Number(process.env.BENCH_ROUNDS) || 3
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Seconds that some work takes, with their spread. */
function seconds(work) {
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    const started = performance.now()
    work(round)
    return (performance.now() - started) / 1000
  })
  return withSpread(times, 1)
}

/** Megabytes on the disk, in whole blocks like du, and files. */
function sizeOf(path) {
  const about = statSync(path, { throwIfNoEntry: false })
  if (!about?.isDirectory()) return { bytes: (about?.blocks ?? 0) * 512, files: about ? 1 : 0 }
  return readdirSync(path)
    .map((name) => sizeOf(join(path, name)))
    .reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, files: sum.files + one.files }), {
      bytes: about.blocks * 512,
      files: 0,
    })
}

function packagesIn(modules) {
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'))
  return names.flatMap((name) => {
    if (!name.startsWith('@')) return [[name, sizeOf(join(modules, name))]]
    return readdirSync(join(modules, name)).map((one) => [`${name}/${one}`, sizeOf(join(modules, name, one))])
  })
}

const mb = (bytes) => (bytes / 1e6).toFixed(1)

try {
  const [{ filename }] = JSON.parse(run('npm', ['pack', root, '--ignore-scripts', '--json'], folder))
  const archive = join(folder, filename)
  await sharp({ create: { width: 600, height: 400, channels: 3, background: '#a33' } })
    .jpeg()
    .toFile(join(folder, 'photo.jpg'))
  const fresh = (name) => {
    const path = join(folder, name)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), '{"private":true}')
    return path
  }
  // The registry may be a proxy that fetches a package when it is first requested.
  run('npm', ['install', ...QUIET, '--cache', join(folder, 'warm-up-cache'), archive], fresh('warm-up'))
  const install = seconds((round) => {
    run('npm', ['install', ...QUIET, '--cache', join(folder, `cache-${round}`), archive], fresh(`install-${round}`))
  })
  const resize = ['image', 'resize', join(folder, 'photo.jpg'), '--width', '300']
  const once = seconds((round) => {
    const output = ['-o', join(folder, `small-${round}.jpg`)]
    run('npx', ['-y', '--cache', join(folder, `npx-${round}`), `./${filename}`, ...resize, ...output], folder)
  })
  const again = seconds((round) => {
    const output = ['-o', join(folder, `again-${round}.jpg`)]
    run('npx', ['-y', '--cache', join(folder, `npx-${round}`), `./${filename}`, ...resize, ...output], folder)
  })
  const packages = packagesIn(join(folder, 'install-0', 'node_modules')).sort(([, a], [, b]) => b.bytes - a.bytes)
  const total = sizeOf(join(folder, 'install-0', 'node_modules'))
  const lines = [
    `- ${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.version}, npm ${run('npm', ['-v'], folder).trim()}`,
    `- archive of ${mb(statSync(archive).size)} MB; installed ${mb(total.bytes)} MB in ${total.files} files and ${packages.length} packages`,
    '',
    '| from nothing | s |',
    '|---|---|',
    `| npm install | ${install} |`,
    `| npx -y ./mediaproc.tgz image resize | ${once} |`,
    `| the same again, with the cache of the first | ${again} |`,
    '',
    '| package | MB | files |',
    '|---|---|---|',
    ...packages
      .filter(([, { bytes }]) => bytes > 200_000)
      .map(([name, { bytes, files }]) => `| ${name} | ${mb(bytes)} | ${files} |`),
  ]
  console.log(lines.join('\n'))
  if (process.argv.includes('--save')) saveBlock('install', lines.join('\n'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
