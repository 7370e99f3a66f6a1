/** The list of templates: names and text boxes, in percent of the picture. `ID.svg` is the drawing. */
import type { MemeTemplate } from '../../media/image/decode/memes.ts'

type Box = readonly [id: string, x: number, y: number, width: number, height: number]

interface Row {
  id: string
  name: string
  aliases: readonly string[]
  tags: readonly string[]
  category: MemeTemplate['category']
  boxes: readonly Box[]
}

/** Ids and boxes are the catalogue's. The best known first. */
export const TEMPLATES: readonly Row[] = [
  {
    id: 'drake-hotline-bling',
    name: 'Drake Hotline Bling',
    aliases: ['drake', 'no yes'],
    tags: ['choice', 'approve', 'reject'],
    category: 'comparison',
    boxes: [
      ['reject', 52, 0, 48, 50],
      ['approve', 52, 50, 48, 50],
    ],
  },
  {
    id: 'distracted-boyfriend',
    name: 'Distracted Boyfriend',
    aliases: ['jealous girlfriend'],
    tags: ['choice', 'temptation'],
    category: 'comparison',
    boxes: [
      ['girl-behind', 58, 15, 30, 30],
      ['guy', 32, 5, 25, 30],
      ['girl-front', 2, 15, 28, 30],
    ],
  },
  {
    id: 'two-buttons',
    name: 'Two Buttons',
    aliases: ['daily struggle'],
    tags: ['choice', 'sweating', 'dilemma'],
    category: 'reaction',
    boxes: [
      ['left-button', 5, 2, 38, 22],
      ['right-button', 45, 2, 38, 22],
    ],
  },
  {
    id: 'expanding-brain',
    name: 'Expanding Brain',
    aliases: ['galaxy brain'],
    tags: ['levels', 'ideas'],
    category: 'comparison',
    boxes: [
      ['panel-1', 0, 0, 50, 25],
      ['panel-2', 0, 25, 50, 25],
      ['panel-3', 0, 50, 50, 25],
      ['panel-4', 0, 75, 50, 25],
    ],
  },
  {
    id: 'change-my-mind',
    name: 'Change My Mind',
    aliases: ['man behind a sign'],
    tags: ['debate', 'sign'],
    category: 'opinion',
    boxes: [['sign', 24, 55, 50, 30]],
  },
  {
    id: 'gru-s-plan',
    name: "Gru's Plan",
    aliases: ['the plan'],
    tags: ['plan', 'failure', 'presentation'],
    category: 'reaction',
    boxes: [
      ['step-1', 52, 0, 46, 25],
      ['step-2', 52, 25, 46, 25],
      ['step-3', 52, 50, 46, 25],
      ['realization', 52, 75, 46, 25],
    ],
  },
  {
    id: 'buff-doge-vs-cheems',
    name: 'Buff Doge vs. Cheems',
    aliases: ['strong dog weak dog'],
    tags: ['then', 'now', 'dogs'],
    category: 'animals',
    boxes: [
      ['buff-label', 2, 2, 45, 15],
      ['buff-text', 2, 75, 45, 23],
      ['cheems-label', 52, 2, 45, 15],
      ['cheems-text', 52, 75, 45, 23],
    ],
  },
  {
    id: 'trade-offer',
    name: 'Trade Offer',
    aliases: ['i receive you receive'],
    tags: ['deal', 'offer'],
    category: 'opinion',
    boxes: [
      ['i-receive', 5, 32, 42, 32],
      ['you-receive', 53, 32, 42, 32],
    ],
  },
  {
    id: 'tuxedo-winnie-the-pooh',
    name: 'Tuxedo Winnie The Pooh',
    aliases: ['fancy bear'],
    tags: ['fancy', 'bear', 'levels'],
    category: 'animals',
    boxes: [
      ['regular', 52, 2, 46, 48],
      ['fancy', 52, 52, 46, 46],
    ],
  },
  {
    id: 'epic-handshake',
    name: 'Epic Handshake',
    aliases: ['clasped hands'],
    tags: ['agreement', 'common'],
    category: 'comparison',
    boxes: [
      ['left', 2, 2, 30, 20],
      ['center', 25, 70, 50, 25],
      ['right', 68, 2, 30, 20],
    ],
  },
  {
    id: 'sad-pablo-escobar',
    name: 'Sad Pablo Escobar',
    aliases: ['lonely man'],
    tags: ['waiting', 'lonely', 'sad'],
    category: 'reaction',
    boxes: [
      ['top', 5, 2, 90, 20],
      ['middle', 5, 40, 90, 20],
      ['bottom', 5, 78, 90, 20],
    ],
  },
  {
    id: 'bike-fall',
    name: 'Bike Fall',
    aliases: ['stick in the wheel'],
    tags: ['own fault', 'bicycle'],
    category: 'classic',
    boxes: [
      ['stick', 50, 0, 48, 33],
      ['wheel', 5, 33, 48, 33],
      ['ground', 50, 66, 48, 33],
    ],
  },
  {
    id: 'they-re-the-same-picture',
    name: "They're The Same Picture",
    aliases: ['same picture'],
    tags: ['same', 'compare'],
    category: 'comparison',
    boxes: [
      ['left-image', 10, 8, 35, 25],
      ['right-image', 55, 8, 35, 25],
      ['caption', 10, 72, 80, 15],
    ],
  },
  {
    id: 'running-away-balloon',
    name: 'Running Away Balloon',
    aliases: ['held back'],
    tags: ['goal', 'distraction'],
    category: 'reaction',
    boxes: [
      ['person', 50, 55, 25, 15],
      ['balloon', 55, 5, 30, 15],
      ['distraction', 2, 55, 25, 15],
    ],
  },
  {
    id: 'anakin-padme-4-panel',
    name: 'Anakin Padme 4 Panel',
    aliases: ['for the better right'],
    tags: ['talk', 'worry'],
    category: 'reaction',
    boxes: [
      ['anakin-1', 0, 0, 50, 15],
      ['padme-1', 50, 0, 50, 50],
      ['anakin-2', 0, 50, 50, 50],
    ],
  },
  {
    id: 'left-exit-12-off-ramp',
    name: 'Left Exit 12 Off Ramp',
    aliases: ['exit ramp'],
    tags: ['choice', 'car', 'swerve'],
    category: 'classic',
    boxes: [
      ['straight', 35, 2, 30, 15],
      ['exit', 65, 2, 30, 15],
      ['car', 35, 65, 40, 20],
    ],
  },
  {
    id: 'clown-applying-makeup',
    name: 'Clown Applying Makeup',
    aliases: ['clown make-up'],
    tags: ['clown', 'steps', 'foolish'],
    category: 'reaction',
    boxes: [
      ['panel-1', 52, 0, 46, 25],
      ['panel-2', 52, 25, 46, 25],
      ['panel-3', 52, 50, 46, 25],
      ['panel-4', 52, 75, 46, 25],
    ],
  },
  {
    id: 'panik-kalm-panik',
    name: 'Panik Kalm Panik',
    aliases: ['panic calm panic'],
    tags: ['alarm', 'calm'],
    category: 'reaction',
    boxes: [
      ['panik-1', 0, 0, 50, 33],
      ['kalm', 0, 33, 50, 33],
      ['panik-2', 0, 66, 50, 33],
    ],
  },
]
