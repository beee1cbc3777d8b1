/** Common and Inherited: used in all scripts. */
const ofAllScripts = /[\p{scx=Zyyy}\p{scx=Zinh}]/gu

// The most common scripts first. The compiler refuses the names of the scripts of Unicode 16 and 17.
// biome-ignore format: a table
const scripts = [
  // Japanese, Korean, and Chinese with Bopomofo: UTS 39, 5.1, table 1.
  /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}]*$/u,
  /^[\p{scx=Hani}\p{scx=Hang}]*$/u,
  /^[\p{scx=Hani}\p{scx=Bopo}]*$/u,
  /^\p{scx=Latn}*$/u, /^\p{scx=Cyrl}*$/u, /^\p{scx=Grek}*$/u, /^\p{scx=Arab}*$/u,
  /^\p{scx=Hebr}*$/u, /^\p{scx=Armn}*$/u, /^\p{scx=Geor}*$/u, /^\p{scx=Thai}*$/u,
  /^\p{scx=Deva}*$/u, /^\p{scx=Adlm}*$/u, /^\p{scx=Aghb}*$/u, /^\p{scx=Ahom}*$/u,
  /^\p{scx=Armi}*$/u, /^\p{scx=Avst}*$/u, /^\p{scx=Bali}*$/u, /^\p{scx=Bamu}*$/u,
  /^\p{scx=Bass}*$/u, /^\p{scx=Batk}*$/u, /^\p{scx=Beng}*$/u, /^\p{scx=Bhks}*$/u,
  /^\p{scx=Brah}*$/u, /^\p{scx=Brai}*$/u, /^\p{scx=Bugi}*$/u, /^\p{scx=Buhd}*$/u,
  /^\p{scx=Cakm}*$/u, /^\p{scx=Cans}*$/u, /^\p{scx=Cari}*$/u, /^\p{scx=Cham}*$/u,
  /^\p{scx=Cher}*$/u, /^\p{scx=Chrs}*$/u, /^\p{scx=Copt}*$/u, /^\p{scx=Cpmn}*$/u,
  /^\p{scx=Cprt}*$/u, /^\p{scx=Diak}*$/u, /^\p{scx=Dogr}*$/u, /^\p{scx=Dsrt}*$/u,
  /^\p{scx=Dupl}*$/u, /^\p{scx=Egyp}*$/u, /^\p{scx=Elba}*$/u, /^\p{scx=Elym}*$/u,
  /^\p{scx=Ethi}*$/u, /^\p{scx=Glag}*$/u, /^\p{scx=Gong}*$/u, /^\p{scx=Gonm}*$/u,
  /^\p{scx=Goth}*$/u, /^\p{scx=Gran}*$/u, /^\p{scx=Gujr}*$/u, /^\p{scx=Guru}*$/u,
  /^\p{scx=Hano}*$/u, /^\p{scx=Hatr}*$/u, /^\p{scx=Hluw}*$/u, /^\p{scx=Hmng}*$/u,
  /^\p{scx=Hmnp}*$/u, /^\p{scx=Hung}*$/u, /^\p{scx=Ital}*$/u, /^\p{scx=Java}*$/u,
  /^\p{scx=Kali}*$/u, /^\p{scx=Kawi}*$/u, /^\p{scx=Khar}*$/u, /^\p{scx=Khmr}*$/u,
  /^\p{scx=Khoj}*$/u, /^\p{scx=Kits}*$/u, /^\p{scx=Knda}*$/u, /^\p{scx=Kthi}*$/u,
  /^\p{scx=Lana}*$/u, /^\p{scx=Laoo}*$/u, /^\p{scx=Lepc}*$/u, /^\p{scx=Limb}*$/u,
  /^\p{scx=Lina}*$/u, /^\p{scx=Linb}*$/u, /^\p{scx=Lisu}*$/u, /^\p{scx=Lyci}*$/u,
  /^\p{scx=Lydi}*$/u, /^\p{scx=Mahj}*$/u, /^\p{scx=Maka}*$/u, /^\p{scx=Mand}*$/u,
  /^\p{scx=Mani}*$/u, /^\p{scx=Marc}*$/u, /^\p{scx=Medf}*$/u, /^\p{scx=Mend}*$/u,
  /^\p{scx=Merc}*$/u, /^\p{scx=Mero}*$/u, /^\p{scx=Miao}*$/u, /^\p{scx=Mlym}*$/u,
  /^\p{scx=Modi}*$/u, /^\p{scx=Mong}*$/u, /^\p{scx=Mroo}*$/u, /^\p{scx=Mtei}*$/u,
  /^\p{scx=Mult}*$/u, /^\p{scx=Mymr}*$/u, /^\p{scx=Nagm}*$/u, /^\p{scx=Nand}*$/u,
  /^\p{scx=Narb}*$/u, /^\p{scx=Nbat}*$/u, /^\p{scx=Newa}*$/u, /^\p{scx=Nkoo}*$/u,
  /^\p{scx=Nshu}*$/u, /^\p{scx=Ogam}*$/u, /^\p{scx=Olck}*$/u, /^\p{scx=Orkh}*$/u,
  /^\p{scx=Orya}*$/u, /^\p{scx=Osge}*$/u, /^\p{scx=Osma}*$/u, /^\p{scx=Ougr}*$/u,
  /^\p{scx=Palm}*$/u, /^\p{scx=Pauc}*$/u, /^\p{scx=Perm}*$/u, /^\p{scx=Phag}*$/u,
  /^\p{scx=Phli}*$/u, /^\p{scx=Phlp}*$/u, /^\p{scx=Phnx}*$/u, /^\p{scx=Plrd}*$/u,
  /^\p{scx=Prti}*$/u, /^\p{scx=Rjng}*$/u, /^\p{scx=Rohg}*$/u, /^\p{scx=Runr}*$/u,
  /^\p{scx=Samr}*$/u, /^\p{scx=Sarb}*$/u, /^\p{scx=Saur}*$/u, /^\p{scx=Sgnw}*$/u,
  /^\p{scx=Shaw}*$/u, /^\p{scx=Shrd}*$/u, /^\p{scx=Sidd}*$/u, /^\p{scx=Sind}*$/u,
  /^\p{scx=Sinh}*$/u, /^\p{scx=Sogd}*$/u, /^\p{scx=Sogo}*$/u, /^\p{scx=Sora}*$/u,
  /^\p{scx=Soyo}*$/u, /^\p{scx=Sund}*$/u, /^\p{scx=Sylo}*$/u, /^\p{scx=Syrc}*$/u,
  /^\p{scx=Tagb}*$/u, /^\p{scx=Takr}*$/u, /^\p{scx=Tale}*$/u, /^\p{scx=Talu}*$/u,
  /^\p{scx=Taml}*$/u, /^\p{scx=Tang}*$/u, /^\p{scx=Tavt}*$/u, /^\p{scx=Telu}*$/u,
  /^\p{scx=Tfng}*$/u, /^\p{scx=Tglg}*$/u, /^\p{scx=Thaa}*$/u, /^\p{scx=Tibt}*$/u,
  /^\p{scx=Tirh}*$/u, /^\p{scx=Tnsa}*$/u, /^\p{scx=Toto}*$/u, /^\p{scx=Ugar}*$/u,
  /^\p{scx=Vaii}*$/u, /^\p{scx=Vith}*$/u, /^\p{scx=Wara}*$/u, /^\p{scx=Wcho}*$/u,
  /^\p{scx=Xpeo}*$/u, /^\p{scx=Xsux}*$/u, /^\p{scx=Yezi}*$/u, /^\p{scx=Yiii}*$/u,
  /^\p{scx=Zanb}*$/u,
]

/** The mixed-script test of UTS 39, 5.1, by script extensions. Unlisted scripts count as one. */
export function mixesScripts(text: string): boolean {
  const own = text.replace(ofAllScripts, '')
  return !isOfOneScript(own) && [...own].some(isOfOneScript)
}

function isOfOneScript(text: string): boolean {
  return scripts.some((script) => script.test(text))
}
