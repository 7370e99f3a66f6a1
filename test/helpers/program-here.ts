import { Readable, Writable } from 'node:stream'
import { main } from '../../src/cli/main.ts'
import { makeIo } from '../../src/cli/output/io.ts'
import { builtFile } from '../../src/root.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
  /** Standard output as received. */
  bytes: Buffer
}

export interface RunProgram {
  cwd: string
  stdin?: string | Uint8Array
  environment?: Record<string, string>
  /** Standard output is a terminal with this number of columns; only for runs in the test's process. */
  terminal?: number
}

/** The environment of a started program: minimal, so that it does not depend on the user who runs the tests. */
export function programEnvironment({ cwd, environment }: RunProgram): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, MEDIAPROC_CACHE_DIR } = process.env
  // Keys of tests must not reach the keyring of the user.
  const given = { PATH, HOME: cwd, TMPDIR, MEDIAPROC_CACHE_DIR, MEDIAPROC_KEYRING: 'false', ...environment }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function collector(): { stream: Writable; bytes(): Buffer } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, bytes: () => Buffer.concat(chunks) }
}

/** The fonts that libraries read once per process: the program names them before it loads those, which happened here. */
const fontsOf = ({ FONTCONFIG_FILE, PANGOCAIRO_BACKEND }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...(FONTCONFIG_FILE && { FONTCONFIG_FILE }),
  ...(PANGOCAIRO_BACKEND && { PANGOCAIRO_BACKEND }),
})

function replaceEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name]
  Object.assign(process.env, wanted)
}

/** The code that runs: the sources, or what users get. */
interface Program {
  main: typeof main
  makeIo: typeof makeIo
}

/** The compiled program, as users get it; loaded once per process. */
export async function builtProgram(): Promise<Program> {
  const [{ main }, { makeIo }] = (await Promise.all(
    ['src/cli/main.js', 'src/cli/output/io.js'].map((path) => import(builtFile(path).href)),
  )) as [Pick<Program, 'main'>, Pick<Program, 'makeIo'>]
  return { main, makeIo }
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs the program in this process, with its own streams, folder and environment: the same code as in a separate
 * process, without its start time of 300 ms. Runs never overlap, because they share the folder and the environment.
 */
export function runProgramHere(
  args: readonly string[],
  options: RunProgram,
  program: Program = { main, makeIo },
): Promise<Ran> {
  const ran = last.then(() => run(args, options, program))
  last = ran.catch(() => {})
  return ran
}

async function run(args: readonly string[], options: RunProgram, program: Program): Promise<Ran> {
  const [folder, environment] = [process.cwd(), { ...process.env }]
  const [stdout, stderr] = [collector(), collector()]
  const stdin = (): Readable => Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)])
  const terminal = options.terminal !== undefined && { stdoutIsTerminal: true, width: options.terminal }
  process.chdir(options.cwd)
  replaceEnvironment({ ...fontsOf(environment), ...programEnvironment(options) })
  try {
    const code = await program.main(
      args,
      program.makeIo({ stdin, stdout: stdout.stream, stderr: stderr.stream, ...terminal }),
    )
    const bytes = stdout.bytes()
    return { code, bytes, stdout: bytes.toString('utf8'), stderr: stderr.bytes().toString('utf8') }
  } finally {
    replaceEnvironment(environment)
    process.chdir(folder)
  }
}
