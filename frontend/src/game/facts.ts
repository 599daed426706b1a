// Made by `python scripts/build_wasm.py`: the rule book's answers in all cases. Do not edit.

export const RULES = {
  'freestyle': 0,
  'standard': 1,
  'renju': 4,
  'caro': 9,
  'caro_overline': 8
} as const

export const BLOCKABLE = ['caro', 'caro_overline'] as const

export const REASONS = {
  'line': 1,
  'draw_full': 2,
  'forbidden': 3,
  'resignation': 4,
  'agreement': 5,
  'time': 6,
  'crash': 7,
  'illegal': 8,
  'adjudication': 9
} as const

export const FORBIDDEN_KINDS = {
  'none': 0,
  'overline': 1,
  'double_four': 2,
  'double_three': 3
} as const

export const OPENINGS = {
  'free': 0,
  'swap1': 1,
  'swap2': 2
} as const

export const PHASES = {
  'place_three': 0,
  'choose': 1,
  'choose_after_five': 2,
  'play': 3,
  'over': 4
} as const

export const FIRST = 'B' as const

export const OPPONENT = {
  'B': 'W',
  'W': 'B'
} as const

export const TO_MOVE_BY_COUNT = {
  'even': 'B',
  'more_black': 'W',
  'more_white': 'W'
} as const

export const FORBIDDEN_TO = 'B' as const

export const CHOICES = {
  'free': {
    'place_three': {
      'swap': false,
      'keep': false,
      'stones': [
        3
      ]
    },
    'choose': {
      'swap': true,
      'keep': true,
      'stones': [
        1
      ]
    },
    'choose_after_five': {
      'swap': true,
      'keep': true,
      'stones': [
        1
      ]
    },
    'play': {
      'swap': false,
      'keep': false,
      'stones': [
        1
      ]
    },
    'over': {
      'swap': false,
      'keep': false,
      'stones': []
    }
  },
  'swap1': {
    'place_three': {
      'swap': false,
      'keep': false,
      'stones': [
        3
      ]
    },
    'choose': {
      'swap': true,
      'keep': true,
      'stones': [
        1
      ]
    },
    'choose_after_five': {
      'swap': true,
      'keep': true,
      'stones': [
        1
      ]
    },
    'play': {
      'swap': false,
      'keep': false,
      'stones': [
        1
      ]
    },
    'over': {
      'swap': false,
      'keep': false,
      'stones': []
    }
  },
  'swap2': {
    'place_three': {
      'swap': false,
      'keep': false,
      'stones': [
        3
      ]
    },
    'choose': {
      'swap': true,
      'keep': true,
      'stones': [
        1,
        2
      ]
    },
    'choose_after_five': {
      'swap': true,
      'keep': true,
      'stones': [
        1
      ]
    },
    'play': {
      'swap': false,
      'keep': false,
      'stones': [
        1
      ]
    },
    'over': {
      'swap': false,
      'keep': false,
      'stones': []
    }
  }
} as const

export const LIMITS = {
  'minSize': 3,
  'maxSize': 26,
  'minWinLength': 3,
  'minOpeningSize': 5,
  'rules': [
    {
      'id': 'freestyle',
      'winLengths': null
    },
    {
      'id': 'standard',
      'winLengths': null
    },
    {
      'id': 'renju',
      'winLengths': [
        5
      ]
    },
    {
      'id': 'caro',
      'winLengths': null
    },
    {
      'id': 'caro_overline',
      'winLengths': null
    }
  ]
} as const

export const HANDICAP = {
  'stones': [
    [
      0,
      0
    ],
    [
      -2,
      2
    ],
    [
      2,
      2
    ],
    [
      2,
      -2
    ]
  ],
  'minSize': 7,
  'minWinLength': 5
} as const
