/** Bundles of models: sizes, tools, installs with progress, the import of an archive. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { loadTools } from '../../api/tools.ts'
import type { PostAdminFeaturesImport } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { useWork } from '../../app/work.ts'
import { sizeText } from '../../files/size.ts'
import { STRINGS } from '../../strings.ts'
import { useSharedProof } from '../proof.ts'
import { BundleCard } from './bundle-card.tsx'
import { useBundles } from './use-bundles.ts'

export function ModelsPage(): JSX.Element {
  const { models, parts } = STRINGS.admin
  const listing = useWork()
  const work = useWork()
  const proof = useSharedProof()
  const done = useSignal('')
  const { bundles, totalBytes, failure, reload } = useBundles()
  useEffect(() => {
    listing.run(loadTools)
  }, [])
  const upload = (event: { currentTarget: HTMLInputElement }): void => {
    const [file] = event.currentTarget.files ?? []
    event.currentTarget.value = ''
    if (!file) return
    const body = new FormData()
    body.append('file', file)
    done.value = ''
    work.run(() =>
      proof.guard(async () => {
        const path = 'api/v1/admin/features/import'
        const { bundleId } = await call<PostAdminFeaturesImport>(path, { method: 'POST', body })
        done.value = models.imported(bundleId ?? file.name)
        announce(done.value)
        await reload()
      }),
    )
  }
  return (
    <>
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{parts.models}</h1>
          <p class="faint">
            {models.help} {totalBytes.value !== undefined && models.disk(sizeText(totalBytes.value))}
          </p>
        </div>
        <label class="button plain file-button">
          {work.isBusy ? models.importing : models.importArchive}
          <input type="file" accept=".gz,.tgz,.tar" disabled={work.isBusy} onChange={upload} />
        </label>
      </div>
      <p class="alert" role="alert">
        {failure.value || work.message || listing.message}
      </p>
      <p class="notice" role="status">
        {done.value}
      </p>
      <ul class="bundles">
        {bundles.value.map((bundle) => (
          <BundleCard key={bundle.id} bundle={bundle} onChange={reload} />
        ))}
      </ul>
    </>
  )
}
