/** Sign-in of a program that shows a code: its user approves or refuses it here. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api/call.ts'
import { authConfig, user } from '../api/session.ts'
import type { GetAuthPasskeys, PostAuthDeviceLookup } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { momentText } from '../app/dates.ts'
import { fieldsOf, useWork, type Work } from '../app/work.ts'
import { canUsePasskeys } from '../sign-in/passkeys.ts'
import { STRINGS } from '../strings.ts'
import { Confirm, useProof } from './confirm.tsx'
import '../styles/account.css'

/** A program that waits, with the code that was entered. */
interface Found {
  code: string
  program: PostAuthDeviceLookup
}

type Decision = 'approve' | 'refuse'

/** The address that the program shows has the code in its fragment, which no log of a server has. */
const codeOfAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('code') ?? ''

const ask = <Answer,>(path: string, userCode: string): Promise<Answer> =>
  call<Answer>(`api/v1/auth/device/${path}`, { method: 'POST', body: { userCode } })

interface CodeFormProps {
  code: string
  work: Work
  onCode(code: string): void
}

function CodeForm({ code, work, onCode }: CodeFormProps): JSX.Element {
  const { device, signIn } = STRINGS
  return (
    <form id="device-code" class="card" onSubmit={(event) => onCode(fieldsOf(event).code ?? '')}>
      <label>
        {device.code}
        <input
          name="code"
          defaultValue={code}
          placeholder="XXXX-XXXX"
          required
          maxLength={20}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
        />
      </label>
      <div class="row">
        <button type="submit" disabled={work.isBusy}>
          {signIn.continue}
        </button>
      </div>
    </form>
  )
}

interface ProgramProps {
  found: Found
  work: Work
  decide(decision: Decision): void
}

/** What the program says of itself, and the two answers. */
function Program({ found: { code, program }, work, decide }: ProgramProps): JSX.Element {
  const { device } = STRINGS
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section class="card stack" id="program" aria-labelledby="program-title">
      <h2 id="program-title" ref={heading} tabIndex={-1}>
        {device.asks(program.client)}
      </h2>
      <p>{device.facts(code.toUpperCase(), program.address, momentText(program.startedAt))}</p>
      <p>{device.gives(user.value?.username ?? '')}</p>
      <p class="notice">
        <strong>{device.warning}</strong>
      </p>
      <div class="row">
        <button id="approve" type="button" disabled={work.isBusy} onClick={() => decide('approve')}>
          {device.approve}
        </button>
        <button id="refuse" class="plain danger" type="button" disabled={work.isBusy} onClick={() => decide('refuse')}>
          {device.refuse}
        </button>
      </div>
    </section>
  )
}

export function DevicePage(): JSX.Element {
  const { device } = STRINGS
  const work = useWork()
  const proof = useProof()
  const hasPasskeys = useSignal(false)
  const found = useSignal<Found | undefined>(undefined)
  const decided = useSignal<Decision | undefined>(undefined)
  const isOffered = authConfig.value.deviceEnabled === true
  const find = (code: string): Promise<void> =>
    work.run(async () => {
      decided.value = undefined
      found.value = undefined
      found.value = { code, program: await ask<PostAuthDeviceLookup>('lookup', code) }
    })
  const decide = (decision: Decision): Promise<void> =>
    work.run(() =>
      proof.guard(async () => {
        await ask(decision, found.value?.code ?? '')
        found.value = undefined
        decided.value = decision
      }),
    )
  useEffect(() => {
    setTitle(device.title)
    const findNamed = (): void => {
      const code = codeOfAddress()
      if (isOffered && code !== '') find(code)
    }
    findNamed()
    const list = call<GetAuthPasskeys>('api/auth/passkeys').then(({ passkeys }) => {
      hasPasskeys.value = passkeys.length > 0 && canUsePasskeys
    })
    // The password or a code confirms as well.
    list.catch(() => {})
    addEventListener('hashchange', findNamed)
    return () => removeEventListener('hashchange', findNamed)
  }, [])
  return (
    <div class="page narrow">
      <h1 tabIndex={-1}>{device.title}</h1>
      <p class="faint">{isOffered ? device.help : device.off}</p>
      <p class="alert" id="alert" role="alert">
        {work.message}
      </p>
      <p class="notice" id="decided" role="status">
        {decided.value && device.decided[decided.value]}
      </p>
      {isOffered && !found.value && !decided.value && <CodeForm code={codeOfAddress()} work={work} onCode={find} />}
      {found.value && <Program key={found.value.code} found={found.value} work={work} decide={decide} />}
      {proof.isPending && <Confirm proof={proof} hasPasskeys={hasPasskeys.value} />}
    </div>
  )
}
