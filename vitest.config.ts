import { chmodSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type InlineConfig, type TestSpecification } from 'vitest/node'
import { isCurrent, sum } from './.ci/sources.mjs'

const report = process.env.MEDIAPROC_TEST_REPORT

/**
 * The ffprobe that npm brings: a start of Debian's costs 60 ms, most of it for its 215 libraries, and the tests ask more
 * than a thousand times. `.ci/run` goes through the recordings with that of the system as well.
 */
function packagedFfprobe(): string {
  try {
    const { path } = createRequire(import.meta.url)('@ffprobe-installer/ffprobe') as { path: string }
    chmodSync(path, 0o755)
    return path
  } catch {
    return ''
  }
}

/**
 * Further suites of `npm run test:long`, which `.ci/run` runs as well. `promises`: what goes through every tool, every value of
 * its settings, every preset and every example, and what starts browsers and office suites. `models`: tools on real
 * weights. `console`: the web console in a browser. `strain`: processes that are killed, full disks, bombs, gigabytes, every route against every kind of caller, and
 * models from the npm registry.
 */
const LONG_RUN: Readonly<Record<string, readonly string[]>> = {
  'promises-av': ['test/tools/{video,audio}/promises.test.ts', 'test/generate/docs/pasted-av.test.ts'],
  promises: [
    'test/tools/{image,pdf}/promises.test.ts',
    'test/tools/presets.test.ts',
    'test/pipeline/ready.test.ts',
    'test/tools/image/html-to-image.test.ts',
    'test/tools/files/{office,print-losses}.test.ts',
    'test/generate/{demo,installed,package}.test.ts',
    'test/generate/docs/pasted-{documents,help,image,pages}.test.ts',
  ],
  matrices: [
    'test/media/av/{fields,hdr,run}.test.ts',
    'test/media/image/{decode,largest-sides,resolution}.test.ts',
    'test/server/library-previews.test.ts',
    'test/tools/audio/{convert-audio,cover,noise-reduction,normalize-audio,split-audio}.test.ts',
    'test/tools/image/{barcode-read,beautify,codes-read-back,collage,compress,edit-metadata,image-enhancement,image-to-pdf}.test.ts',
    'test/tools/image/{meme-generator,optimize-for-web,qr-generate,readable-codes,remove-background,restore-photo,straighten,vectorize}.test.ts',
    'test/tools/pdf/compress-pdf.test.ts',
    'test/tools/video/{compress-to-size,reverse-video,silence-cut,smart-cut,split-video,trim-video,video-to-frames,video-to-gif}.test.ts',
  ],
  // Journeys through the web console in a browser.
  console: ['test/web/journeys/*.test.ts'],
  // Models with their real weights, on photographs.
  models: ['test/models/weights/*.test.ts'],
  strain: [
    'test/server/faults-*.test.ts',
    'test/server/{authorisation,device-nodes,idempotency-nodes,shared-rates,webhooks-nodes}.test.ts',
    'test/engines/redis.test.ts',
    'test/server/{ldap,oidc,passkeys-pages,python-client,saml,saml-logout,scim,scim-sign-in}.test.ts',
    'test/pool/end.test.ts',
    'test/store/{cluster,crash,many-jobs,migrate-cluster,migrations,postgres,s3-faults,shared}.test.ts',
    'test/accounts/shared{,-attempts}.test.ts',
    'test/models/{strain,registry}.test.ts',
    'test/cli/{open,serve}.test.ts',
    'test/cli/slow-pdf.test.ts',
    'test/mcp/{http,inspector,stdio}.test.ts',
    'test/remote/*.test.ts',
    'test/cli/{plugins,plugin-formats}.test.ts',
  ],
}

/**
 * Workers of groups that wait: for servers that start and end, for leases that expire, for a browser. Console: 24 s of processor
 * time in 37 s of a file; strain: 119 s in 270 s of five files.
 */
const WORKERS: Readonly<Record<string, number>> = { console: 3, strain: 3 }

/**
 * Files that take more than 3.5 seconds, or more than 5 if they are about the server, the pool, the stores or pipelines:
 * everybody's command must end within four minutes. They are projects of the long run, in the groups of the others.
 */
const SLOW: readonly string[] = JSON.parse(readFileSync(new URL('test/slow.json', import.meta.url), 'utf8'))

/** They replace exports of modules, which only vitest's own loader of modules allows. */
const REPLACING = [
  'test/engines/missing-packs.test.ts',
  'test/models/missing-runtime.test.ts',
  'test/pipeline/{fuse-image,fuse-pdf}.test.ts',
]

/** Those of them that are too long for everybody's command. */
const SLOW_REPLACING = ['test/pipeline/{branch,fuse-av,run}.test.ts', 'test/tools/audio/speed-and-pitch.test.ts']

/** fontconfig reads its settings once per process, and this file has its own. */
const ALONE = ['test/media/image/text.test.ts']

/** They run every tool, and are short files: without a former run to go by, vitest would begin them last. */
const FIRST = /\/(pasted-\w+|promises|presets)\.test\.ts$/

/** The tests of the plugins in this repository. */
const PLUGINS = 'plugins/*/test'

/**
 * Files that share their workers. Each group has new processes: Node starts a program by copying the page tables of its own
 * process, which takes 1.5 ms in a small process and 59 ms in one of 1.2 GB, the size of a worker after many pictures.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  recordings: ['tools/video', 'tools/audio', 'media/av', 'engines/ffmpeg', 'pipeline'],
  programs: ['cli', 'engines/process', 'local', 'job', 'tools/pdf', 'tools/files', 'media/pdf', 'generate', PLUGINS],
  server: ['server', 'pool', 'accounts', 'store', 'http'],
  rest: ['.'],
}

const filesOf = (place: string): string =>
  place === PLUGINS
    ? `${place}/**/*.test.ts`
    : place.endsWith('.test.ts')
      ? `test/${place}`
      : `${place === '.' ? 'test' : `test/${place}`}/**/*.test.ts`

/** What the other groups have is not for the one that takes the rest. */
const othersThan = (name: string): string[] =>
  name === 'rest'
    ? Object.values(GROUPS)
        .flat()
        .filter((place) => place !== '.')
        .map(filesOf)
    : []

/** The group of a file below `test`. */
const groupOf = (file: string): string =>
  Object.entries(GROUPS).find(([, places]) => places.some((place) => file.startsWith(`test/${place}/`)))?.[0] ?? 'rest'

/**
 * Files of one project after those of the other, in the order of the projects: at the end of a project, workers begin the next
 * one, in a new process.
 */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(this.ctx.projects.map(({ name }, rank) => [name, rank]))
    const rankOf = ({ project }: TestSpecification): number => ranks.get(project.name) ?? ranks.size
    const isLater = ({ moduleId }: TestSpecification): number => (FIRST.test(moduleId) ? 0 : 1)
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => rankOf(one) - rankOf(other) || isLater(one) - isLater(other))
  }
}

/** What plugins import is the program's own code. */
const RESOLVE = {
  alias: {
    'mediaproc/tool': join(import.meta.dirname, 'src/tool/plugins/contract.ts'),
    'mediaproc/test': join(import.meta.dirname, 'src/library/promise-tests.ts'),
  },
}

/** Modules of the program, as the last build compiled them: Node loads them as they are. After a change, vitest compiles those it needs. */
const modules: Plugin = {
  name: 'modules',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return null
    const path = relative(import.meta.dirname, join(dirname(importer), id))
    if (!/^(?:src|tools)\/.*\.ts$/.test(path)) return null
    return { id: join(import.meta.dirname, 'dist/modules', path.replace(/\.ts$/, '.js')), external: true }
  },
}
const plugins = isCurrent(sum()) ? [modules] : []

/** Options of every project. They are spread: with `extends`, vitest would read this file again for each project. */
const COMMON = {
  globalSetup: ['test/helpers/shared-samples.ts'],
  setupFiles: ['test/helpers/set-up.ts'],
  env: {
    // Records of runs go to a cache folder, which must not be that of the user.
    MEDIAPROC_CACHE_DIR: join(tmpdir(), `mediaproc-test-cache-${process.pid}`),
    // Nobody's own models: what is installed is what a test installed.
    MEDIAPROC_MODELS: join(tmpdir(), `mediaproc-test-models-${process.pid}`),
    MEDIAPROC_ENGINES: join(tmpdir(), `mediaproc-test-engines-${process.pid}`),
    // The pages of the tests are our own, and in containers root may run them.
    MEDIAPROC_CHROMIUM_SANDBOX: 'false',
    MEDIAPROC_FFPROBE: process.env.MEDIAPROC_FFPROBE ?? packagedFfprobe(),
  },
  // The built program is tested as Node loads it.
  server: { deps: { external: [/\/dist\//] } },
  // Every group would compile the program's modules again: they are kept in node_modules, by their contents.
  experimental: { fsModuleCache: true },
  // A loaded machine takes its time; what never comes fails all the same.
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks' as const,
  maxWorkers: 2,
}

/**
 * A project with the modules of the last build; by default with a process for each file. All projects with the same number of
 * workers are in one queue: while the last file of one project runs, another worker begins the next project.
 */
const project = (name: string, include: string[], further: Partial<InlineConfig> = {}) => {
  const groupOrder = (Number(further.maxWorkers) || COMMON.maxWorkers) - COMMON.maxWorkers
  return {
    resolve: RESOLVE,
    plugins,
    test: { ...COMMON, name, include, sequence: { groupOrder }, ...further },
  }
}

/** A process for every file, and all modules loaded in it again, would cost more than most tests: a worker keeps both. */
const SHARED = { isolate: false }

export default defineConfig({
  resolve: RESOLVE,
  test: {
    ...COMMON,
    sequence: { sequencer: ByProject },
    projects: [
      ...Object.entries(GROUPS).map(([name, include]) =>
        project(name, include.map(filesOf), {
          ...SHARED,
          exclude: [
            ...ALONE,
            ...REPLACING,
            ...SLOW_REPLACING,
            ...SLOW,
            ...Object.values(LONG_RUN).flat(),
            ...othersThan(name),
          ],
        }),
      ),
      project('alone', ALONE),
      { ...project('replacing', REPLACING), plugins: [] },
      // The longest files first: two workers then end at about the same time.
      ...Object.entries(LONG_RUN).map(([name, include]) =>
        project(`long-${name}`, [...include], {
          ...SHARED,
          // A browser beside a server on two cores has its moments; .ci/run lists what passed only when repeated.
          retry: name === 'console' ? 1 : 0,
          // The longest take 15 s on a quiet machine, and four times as long beside the others on a slow one.
          ...(name === 'strain' && { testTimeout: 180_000 }),
          maxWorkers: WORKERS[name] ?? COMMON.maxWorkers,
        }),
      ),
      ...Object.keys(GROUPS).map((name) => {
        const files = SLOW.filter((file) => groupOf(file) === name)
        return project(`long-slow-${name}`, files, SHARED)
      }),
      { ...project('long-replacing', SLOW_REPLACING), plugins: [] },
    ],
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
  },
})
