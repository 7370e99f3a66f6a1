/** The models of a tool, installed from its own page. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import type { Bundle, GetFeatures } from '../../api/types.ts'
import { useWork } from '../../app/work.ts'
import { sizeText } from '../../files/size.ts'
import { STRINGS } from '../../strings.ts'
import { InstallProgress } from './install-progress.tsx'

interface InstallForToolProps {
  toolId: string
  bundles: readonly string[]
  /** The tool can run now. */
  onInstalled(): void
}

export function InstallForTool({ toolId, bundles: ids, onInstalled }: InstallForToolProps): JSX.Element {
  const { models } = STRINGS.admin
  const work = useWork()
  const list = useSignal<readonly Bundle[]>([])
  const load = async (): Promise<void> => {
    const { bundles } = await call<GetFeatures>('api/v1/features')
    list.value = bundles.filter(({ id }) => ids.includes(id))
    if (list.value.length > 0 && list.value.every(({ status }) => status === 'installed')) onInstalled()
    const failed = list.value.find(({ error }) => error !== null)
    if (failed?.error) work.say(failed.error)
  }
  useEffect(() => {
    work.run(load)
  }, [])
  const install = (): Promise<void> =>
    work.run(async () => {
      await call(`api/v1/admin/tools/${encodeURIComponent(toolId)}/features/install`, { method: 'POST' })
      await load()
    })
  const running = list.value.filter(({ progress }) => progress !== null)
  const bytes = list.value.reduce((sum, { downloadBytes }) => sum + (downloadBytes ?? 0), 0)
  const hopeless = list.value.find(({ compatibility }) => compatibility === 'incompatible')
  return (
    <div class="notice stack install-models">
      <p>{models.neededHere(list.value.map(({ name }) => name).join(', ') || ids.join(', '))}</p>
      {running.map(
        ({ id, name, progress }) =>
          progress && (
            <InstallProgress
              key={progress.jobId ?? id}
              name={name}
              progress={progress}
              onEnd={load}
              onCancel={(jobId) =>
                work.run(async () => {
                  await call(`api/v1/jobs/${encodeURIComponent(jobId)}/cancel`, { method: 'POST' })
                  await load()
                })
              }
            />
          ),
      )}
      {hopeless && <p>{hopeless.compatibilityReason}</p>}
      {running.length === 0 && !hopeless && (
        <div class="row">
          <button type="button" disabled={work.isBusy} onClick={install}>
            {bytes > 0 ? models.installBytes(sizeText(bytes)) : models.install}
          </button>
        </div>
      )}
      <p class="alert" role="alert">
        {work.message}
      </p>
    </div>
  )
}
