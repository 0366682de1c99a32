/** Stands in what is posted where each request has a number of its own; as long as that number. */
export const numbered = '##########';
