import { anyOf } from './any-of.js'

/**
 * Parcel lockers, and branches that keep the mail of a customer number, in compared text. Names that are a word of
 * another language stand at the start of a line, or before a number.
 */
export const namesParcelLocker = anyOf([
  /\b(?:AMAZON|INPOST)(?: HUB)? LOCKER\b/,
  // Australia
  /^PARCEL (?:LOCKER|COLLECT) ?\d/,
  // Germany, Austria, Switzerland
  /(?:^|, ?|^\d+ )(?:DHL[ -])?(?:PACK[ -]?STATION|PACKST\.|PAKETSTATION|POST-?FILIALE|(?:HERMES )?PAKETSHOP) ?(?:NR\.? ?)?\d{3}(?!\d)/,
  /^ABHOLSTATION ?\d|^PICK ?POST\b(?! [A-Z])|\bMY ?POST ?24\b/,
  // France, Luxembourg, Spain
  /^PICKUP STATION\b|^PACK ?UP ?\d|\bCITYPAQ\b/,
  // Scandinavia, Finland and the Baltic states
  /\b(?:PAKETTIAUTOMAATTI|PAKIAUTOMAAT|PAKOMATS|PASTOMATAS|PAKKEBOKS|PAKKEAUTOMAT)\b/,
  /^(?:SMARTPOST|INSTABOX|PAKETBOX|OMNIVA)\b(?! [A-Z])/,
  // Central and south-eastern Europe
  /\b(?:PACZKOMAT|BALIKOMAT|BALIKOBOX|ALZABOX|CSOMAGAUTOMATA|PAKETOMAT|KARGOMAT)\b|(?<!\p{L})ЕКОНТОМАТ(?!\p{L})/u,
  /^(?:ZASILKOVNA )?Z-BOX\b|^(?:BALIKOVNA|FOXPOST|PAKETNIK|(?:SAMEDAY )?EASYBOX)\b(?! [A-Z])/,
])
