import type { JSX } from 'preact'
import { call } from '../../api/call.ts'
import { tools } from '../../api/tools.ts'
import type { Bundle } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { toolPath } from '../../app/router.ts'
import { useWork } from '../../app/work.ts'
import { sizeText } from '../../files/size.ts'
import { STRINGS } from '../../strings.ts'
import { useSharedProof } from '../proof.ts'
import { InstallProgress } from './install-progress.tsx'
import { isInstalling } from './use-bundles.ts'

const BADGES: Readonly<Record<string, string>> = { installed: 'badge good', error: 'badge bad' }

function sizesOf({ status, installedBytes, downloadBytes, estimatedSize, installedVersion }: Bundle): string {
  const { models } = STRINGS.admin
  if (status === 'installed')
    return [
      installedBytes ? sizeText(installedBytes) : models.shipped,
      installedVersion && models.version(installedVersion),
    ]
      .filter(Boolean)
      .join(' · ')
  return models.download(downloadBytes === null ? estimatedSize : sizeText(downloadBytes))
}

/** The tools that need a bundle, with links to them. */
function Tools({ ids }: { ids: readonly string[] }): JSX.Element {
  const { models } = STRINGS.admin
  const known = tools.value.filter(({ id, base }) => base === undefined && ids.includes(id))
  return (
    <p class="small bundle-tools">
      <span class="faint">{models.neededBy} </span>
      {known.map((tool, index) => (
        <>
          {index > 0 && ', '}
          <a key={tool.id} href={toolPath(tool)}>
            {tool.label}
          </a>
        </>
      ))}
    </p>
  )
}

export function BundleCard({ bundle, onChange }: { bundle: Bundle; onChange(): Promise<void> }): JSX.Element {
  const { models } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const { id, name, description, status, enablesTools, compatibility, compatibilityReason, error, progress } = bundle
  const path = `api/v1/admin/features/${encodeURIComponent(id)}`
  const act = (action: () => Promise<unknown>): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        await action()
        await onChange()
      }),
    )
  const install = (): Promise<void> => act(() => call(`${path}/install`, { method: 'POST' }))
  const uninstall = (): void => {
    if (!confirm(models.confirmUninstall(name))) return
    act(async () => {
      await call(`${path}/uninstall`, { method: 'POST' })
      announce(models.uninstalled(name))
    })
  }
  const canInstall = compatibility === 'compatible' && !isInstalling(bundle) && status !== 'installed'
  return (
    <li class="card bundle" id={`bundle-${id}`}>
      <div class="row apart">
        <div class="grow">
          <h2>
            {name} <span class={BADGES[status] ?? 'badge'}>{models.states[status]}</span>
          </h2>
          <p>{description}</p>
          <p class="faint small">{sizesOf(bundle)}</p>
        </div>
        {canInstall && (
          <button type="button" aria-label={models.installOf(name)} disabled={work.isBusy} onClick={install}>
            {status === 'error' ? STRINGS.errors.retry : models.install}
          </button>
        )}
        {status === 'installed' && (
          <button
            type="button"
            class="plain"
            aria-label={models.uninstallOf(name)}
            disabled={work.isBusy}
            onClick={uninstall}
          >
            {models.uninstall}
          </button>
        )}
      </div>
      {enablesTools.length > 0 && <Tools ids={enablesTools} />}
      {progress && (
        <InstallProgress
          key={progress.jobId}
          name={name}
          progress={progress}
          onEnd={onChange}
          onCancel={(jobId) => act(() => call(`api/v1/jobs/${encodeURIComponent(jobId)}/cancel`, { method: 'POST' }))}
        />
      )}
      {compatibility === 'incompatible' && <p class="notice">{compatibilityReason}</p>}
      <p class="alert" role="alert">
        {work.message || error}
      </p>
    </li>
  )
}
