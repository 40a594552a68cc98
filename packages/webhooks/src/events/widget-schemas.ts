import * as z from 'zod'
import { identifier, paidAmount, text } from './field-schemas.js'

const widgetFields = {
  userId: identifier,
  accountId: identifier,
  externalReferenceId: text,
  appId: identifier,
}

export const widgetKycInitiationSchema = z.strictObject({
  eventType: z.literal('WIDGET_KYC_INITIATION'),
  ...widgetFields,
})

export const widgetDepositCompleteSchema = z.strictObject({
  eventType: z.literal('WIDGET_DEPOSIT_COMPLETE'),
  ...widgetFields,
  amount: paidAmount,
})

export const widgetWithdrawCompleteSchema = z.strictObject({
  eventType: z.literal('WIDGET_WITHDRAW_COMPLETE'),
  ...widgetFields,
  amount: paidAmount,
})
