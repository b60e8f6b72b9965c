/** `1,234,567` */
export function toCount(value: number): string {
  return value.toLocaleString('en-US');
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `0 B`, `1.2 kB`, `34 MB` */
export function toBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`;
}

/** `8 s`, `3 min 20 s`, `2 h 5 min` */
export function toSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor(whole / 60) % 60} min`;
}

/** `950`, `1.2K`, `3M`: where there is room for a few characters. */
export function toShortCount(value: number): string {
  return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
}
