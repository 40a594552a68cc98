import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Reads lines of "id TAB key in hex TAB body in hex"; prints "id TAB HMAC-SHA-256 in hex". */
class Sign {
  public static void main(String[] args) throws Exception {
    HexFormat hex = HexFormat.of();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] fields = line.split("\t", -1);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(hex.parseHex(fields[1]), "HmacSHA256"));
      System.out.println(fields[0] + "\t" + hex.formatHex(mac.doFinal(hex.parseHex(fields[2]))));
    }
  }
}
