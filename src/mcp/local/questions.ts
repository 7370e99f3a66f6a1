import { type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { MediaprocError } from '../../errors.ts'
import type { Call } from '../backend.ts'
import { clientRoots, type Root } from './roots.ts'

const ROOTS = 'roots'
const REPLACE = 'replace'

/** Names of files in a question. */
const MAX_NAMED = 10

/** Asks the client for its roots. */
export const askForRoots = (): InputRequiredResult =>
  inputRequired({ inputRequests: { [ROOTS]: inputRequired.listRoots() } })

/** The roots of the client, if it answered; undefined before. */
export async function answeredRoots({ answers }: Pick<Call, 'answers'>): Promise<Root[] | undefined> {
  const view = inputResponse(answers, ROOTS)
  return view.kind === 'roots' ? clientRoots(view.roots) : undefined
}

/** Asks the user whether existing files are replaced. @param state returned by the client with the answer */
export function askToReplace(paths: readonly string[], state: string): InputRequiredResult {
  const more = paths.length - MAX_NAMED
  const named = paths.slice(0, MAX_NAMED).join('\n')
  return inputRequired({
    inputRequests: {
      [REPLACE]: inputRequired.elicit({
        mode: 'form',
        message: `Replace ${paths.length === 1 ? 'this file' : `these ${paths.length} files`}?\n${named}${more > 0 ? `\nand ${more} more` : ''}`,
        requestedSchema: {
          type: 'object',
          properties: { replace: { type: 'boolean', title: 'Replace', default: false } },
          required: ['replace'],
        },
      }),
    },
    requestState: state,
  })
}

/** Whether the user agreed. @throws MediaprocError OUTPUT_EXISTS when the user did not */
export function requireReplace({ answers }: Pick<Call, 'answers'>): void {
  const view = inputResponse(answers, REPLACE)
  if (view.kind === 'elicit' && view.action === 'accept' && view.content?.replace === true) return
  throw new MediaprocError(
    'OUTPUT_EXISTS',
    'The user did not agree to replace the existing files; nothing was written',
    {
      hint: 'Use another output_dir or output_name.',
    },
  )
}
