/** A page of a grid. Documents have thousands: it is drawn again only when something of it changes. */
import { Component, type JSX } from 'preact'
import { STRINGS } from '../strings.ts'

/** What the items of a grid do; always the latest, as items keep what they got first. */
export interface PageActions {
  choose(page: number, isRange: boolean): void
  focused(page: number): void
  onKeyDown(event: KeyboardEvent): void
}

interface PageItemProps {
  page: number
  /** Width / height. */
  shape: number
  address: string | undefined
  isSelected: boolean
  isCurrent: boolean
  actions: { current: PageActions }
}

export class PageItem extends Component<PageItemProps> {
  override shouldComponentUpdate(next: PageItemProps): boolean {
    const { shape, address, isSelected, isCurrent } = this.props
    return (
      next.shape !== shape || next.address !== address || next.isSelected !== isSelected || next.isCurrent !== isCurrent
    )
  }

  override render({ page, shape, address, isSelected, isCurrent, actions }: PageItemProps): JSX.Element {
    return (
      <div
        class="page-item"
        role="option"
        data-page={page}
        aria-selected={isSelected}
        tabIndex={isCurrent ? 0 : -1}
        onKeyDown={(event) => actions.current.onKeyDown(event)}
        onClick={(event) => actions.current.choose(page, event.shiftKey)}
        onFocus={() => actions.current.focused(page)}
      >
        <span class="page-sheet" style={{ '--shape': String(shape) }}>
          {address && <img src={address} alt="" draggable={false} />}
        </span>
        <span class="small">
          {STRINGS.draw.page} {page}
        </span>
      </div>
    )
  }
}
