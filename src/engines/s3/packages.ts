import { MediaprocError } from '../../errors.ts'
import { installCommand } from '../engine.ts'
import { importPackage, libraryEngine, packageFolder } from '../library.ts'

const CLIENT = '@aws-sdk/client-s3'
const UPLOAD = '@aws-sdk/lib-storage'
const PRESIGNER = '@aws-sdk/s3-request-presigner'
const CORE = '@aws-sdk/core'

export const s3Engine = libraryEngine({
  id: 's3',
  purpose: 'files of several servers in S3-compatible object storage (S3_BUCKET)',
  licence: 'Apache-2.0',
  package: CLIENT,
  pack: 's3',
})

export interface Packages {
  client: typeof import('@aws-sdk/client-s3')
  upload: typeof import('@aws-sdk/lib-storage')
  presigner: typeof import('@aws-sdk/s3-request-presigner')
}

/** @throws ENGINE_UNAVAILABLE without the packages */
export async function loadPackages(): Promise<Packages> {
  if ([CLIENT, UPLOAD, PRESIGNER].some((name) => packageFolder(name) === undefined))
    throw new MediaprocError('ENGINE_UNAVAILABLE', 'S3_BUCKET needs an engine pack that is not installed', {
      hint: { shell: `Install it: ${installCommand('s3')}` },
      fields: { engine: 's3', pack: 's3' },
    })
  // The version is pinned: that newer ones need another Node concerns no operator.
  const { state } = await importPackage<{ state: { warningEmitted: boolean } }>(CORE, `${CORE}/client`)
  state.warningEmitted = true
  return {
    client: await importPackage<Packages['client']>(CLIENT),
    upload: await importPackage<Packages['upload']>(UPLOAD),
    presigner: await importPackage<Packages['presigner']>(PRESIGNER),
  }
}
