// Verifies a webhook in Java. The body comes on standard input, the value of X-HMAC-Signature as the argument.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verify {
  static boolean isFromService(byte[] body, String signature, String apiKey) throws Exception {
    // No header, or an empty key, with which anybody can sign.
    if (signature == null || apiKey == null || apiKey.isEmpty()) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(apiKey.getBytes(UTF_8), "HmacSHA256"));
    String expected = HexFormat.of().formatHex(mac.doFinal(body));
    return MessageDigest.isEqual(expected.getBytes(UTF_8), signature.getBytes(UTF_8));
  }

  public static void main(String[] arguments) throws Exception {
    String header = arguments.length == 0 ? null : arguments[0];
    boolean valid = isFromService(System.in.readAllBytes(), header, System.getenv("KYC_RELAY_API_KEY"));
    System.exit(valid ? 0 : 1);
  }
}
