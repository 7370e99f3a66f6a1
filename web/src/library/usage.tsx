import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { GetFilesUsage } from '../api/types.ts'
import { sizeText } from '../files/size.ts'
import { STRINGS } from '../strings.ts'

interface UsageProps {
  /** Asks again when it changes. */
  of: unknown
}

/** How much of the quota is used. */
export function Usage({ of }: UsageProps): JSX.Element | null {
  const words = STRINGS.library
  const usage = useSignal<GetFilesUsage | undefined>(undefined)
  useEffect(() => {
    // Without the answer only this line is missing.
    call<GetFilesUsage>('api/v1/files/usage').then(
      (answer) => {
        usage.value = answer
      },
      () => undefined,
    )
  }, [of])
  if (!usage.value) return null
  const { usedBytes, limitBytes, teamUsedBytes, teamLimitBytes } = usage.value
  return (
    <div class="usage small">
      {limitBytes === null ? (
        <span>{words.used(sizeText(usedBytes))}</span>
      ) : (
        <>
          <span>{words.usedOf(sizeText(usedBytes), sizeText(limitBytes))}</span>
          <meter aria-label={words.usage} min={0} max={limitBytes} high={limitBytes * 0.9} value={usedBytes} />
        </>
      )}
      {teamLimitBytes !== null && (
        <span class="faint">{words.teamUsed(sizeText(teamUsedBytes ?? 0), sizeText(teamLimitBytes))}</span>
      )}
    </div>
  )
}
