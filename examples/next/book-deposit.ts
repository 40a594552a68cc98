/** In an application: what to do about a deposit. */
export async function bookDeposit(customer: string, amount: number): Promise<void> {
  if (customer === 'nobody') throw new Error('no such customer')
  console.log(`booked ${JSON.stringify({ customer, amount })}`)
}
