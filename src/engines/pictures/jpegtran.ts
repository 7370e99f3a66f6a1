import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { Engine, EngineStatus } from '../engine.ts'
import { runProgram } from '../process/process.ts'
import { type FoundProgram, findProgram } from '../process/programs.ts'

const INSTALL = 'apt-get install libjpeg-turbo-progs'

export const findJpegtran = (): Promise<FoundProgram | undefined> =>
  findProgram({ environment: 'MEDIAPROC_JPEGTRAN', names: ['jpegtran'] })

/**
 * Rearranges the blocks of a JPEG without decoding them: `jpegtran -copy all -optimize` with further arguments.
 * @throws ENGINE_UNAVAILABLE with the install command; INVALID_FILE for a JPEG that it cannot read
 */
export async function runJpegtran(
  input: string,
  output: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const program = await findJpegtran()
  if (!program)
    throw new MediaprocError(
      'ENGINE_UNAVAILABLE',
      'Changing a JPEG without encoding it again needs jpegtran, which is not installed',
      {
        hint: `Install it (${INSTALL}), or omit lossless.`,
        fields: { engine: 'jpegtran' },
      },
    )
  try {
    await runProgram(program.path, ['-copy', 'all', '-optimize', ...args, '-outfile', output, input], {
      what: 'jpegtran',
      ...(signal && { signal }),
    })
  } catch (error) {
    const failure = toMediaprocError(error)
    if (failure.code !== 'PROCESSING_FAILED') throw failure
    throw new MediaprocError('INVALID_FILE', 'The JPEG is damaged or of a kind that jpegtran cannot rearrange', {
      hint: 'Omit lossless to decode and encode it.',
      cause: failure,
    })
  }
}

export const jpegtran: Engine = {
  id: 'jpegtran',
  purpose: 'rotating, cropping and optimising JPEG without encoding it again',
  kind: 'program',
  licence: 'IJG and BSD-3-Clause',
  install: INSTALL,
  environment: 'MEDIAPROC_JPEGTRAN',
  async probe(): Promise<EngineStatus> {
    const program = await findJpegtran().catch(() => undefined)
    if (!program) return { available: false }
    const { stdout, stderr } = await runProgram(program.path, ['-version'], { what: 'jpegtran', allowExit: [0, 1] })
    const version = /version ([\d.]+)/.exec(`${stdout}${stderr}`)?.[1]
    return {
      available: true,
      path: program.path,
      source: program.source === 'environment' ? 'environment' : 'path',
      ...(version && { version }),
    }
  },
}
