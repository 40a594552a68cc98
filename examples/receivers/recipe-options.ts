/** What every recipe is given: the application's API key, and what to do about one kind of event. */
export interface RecipeOptions {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
}
