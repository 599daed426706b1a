/** Small, forgiving storage: a full or forbidden localStorage only means that choices are not remembered. */

export function load<T extends object>(key: string, defaults: T, isValid: (key: keyof T, value: unknown) => boolean): T {
  const result = { ...defaults }
  let stored: unknown
  try {
    stored = JSON.parse(localStorage.getItem(key) ?? '{}')
  } catch {
    return result
  }
  if (typeof stored !== 'object' || stored === null) return result
  for (const name of Object.keys(defaults) as (keyof T)[]) {
    const value = (stored as Partial<T>)[name]
    if (value !== undefined && isValid(name, value)) result[name] = value as T[keyof T]
  }
  return result
}

export function save(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Private windows may refuse to store anything.
  }
}
