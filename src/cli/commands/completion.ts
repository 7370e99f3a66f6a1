import { readFile } from 'node:fs/promises'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { ROOT } from '../../root.ts'
import { either } from '../../wording.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'

/** The files in completions/, by shell, and the line that enables them. */
const FILES: Readonly<Record<string, string>> = { bash: 'mediaproc.bash', zsh: '_mediaproc', fish: 'mediaproc.fish' }

/** `mediaproc completion bash|zsh|fish` prints the completion file of the shell. */
export async function completionCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands } = parseCommand('completion', args, {}, 1)
  const [shell] = operands
  const file = shell !== undefined && Object.hasOwn(FILES, shell) ? FILES[shell] : undefined
  if (!file)
    throw new MediaprocError(
      'USAGE',
      `Expected ${either(Object.keys(FILES))} for the shell, got ${shell ?? 'nothing'}`,
      {
        hint: 'Such as: source <(mediaproc completion bash)',
      },
    )
  io.out(await readFile(new URL(`completions/${file}`, ROOT), 'utf8'))
  return EXIT.ok
}
