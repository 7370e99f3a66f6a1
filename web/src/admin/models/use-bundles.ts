import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, sentenceOf } from '../../api/call.ts'
import type { Bundle, GetAdminFeaturesDiskUsage, GetFeatures } from '../../api/types.ts'

/** Installs that others began are asked again after this time, in milliseconds. */
const AGAIN_MS = 2000

export const isInstalling = ({ status }: Pick<Bundle, 'status'>): boolean =>
  status === 'installing' || status === 'queued'

interface BundleList {
  bundles: Signal<readonly Bundle[]>
  /** Bytes on the disk. */
  totalBytes: Signal<number | undefined>
  failure: Signal<string>
  reload(): Promise<void>
}

/** The bundles with their states, asked again while some of them are being installed. */
export function useBundles(): BundleList {
  const bundles = useSignal<readonly Bundle[]>([])
  const totalBytes = useSignal<number | undefined>(undefined)
  const failure = useSignal('')
  const isLeft = useSignal(false)
  const load = async (): Promise<void> => {
    try {
      const [list, disk] = await Promise.all([
        call<GetFeatures>('api/v1/features'),
        call<GetAdminFeaturesDiskUsage>('api/v1/admin/features/disk-usage'),
      ])
      bundles.value = list.bundles
      totalBytes.value = disk.totalBytes
      failure.value = ''
    } catch (error) {
      failure.value = sentenceOf(error)
    }
  }
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | undefined
    const again = async (): Promise<void> => {
      if (bundles.peek().some(isInstalling)) await load()
      if (!isLeft.peek()) later = setTimeout(again, AGAIN_MS)
    }
    load().then(again)
    return () => {
      isLeft.value = true
      clearTimeout(later)
    }
  }, [])
  return { bundles, totalBytes, failure, reload: load }
}
