// When a person hears of shared spaces: with their first project (A2C-39).

const words =
  /(?<!\p{L})(?:project|campaign|conference|exhibition|festival|game design|holiday|hackathon|house move|launch|playtest|road ?map|trip|vacation|wedding|workshop)s?(?!\p{L})/iu;

/** An intent that is more than one appointment: something that goes on, with decisions and next actions. */
export const soundsLikeProject = (intent: string): boolean => words.test(intent);
