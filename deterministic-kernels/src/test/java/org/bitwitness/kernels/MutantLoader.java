package org.bitwitness.kernels;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles one source file with a fault in it and loads it beside the untouched classes. The classes under
 * {@code isolated} are loaded anew, so that they meet the faulty one; everything else is shared with the tests.
 */
final class MutantLoader extends ClassLoader {
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    private final String isolated;
    private final Map<String, byte[]> faulty;

    private MutantLoader(String isolated, Map<String, byte[]> faulty) {
        super("mutant", MutantLoader.class.getClassLoader());
        this.isolated = isolated;
        this.faulty = faulty;
    }

    /** A backend's mutant meets the classes of its own package; any other one a whole module of its own. */
    static MutantLoader of(SourceMutant mutant) {
        String name = mutant.className();
        String itsPackage = name.substring(0, name.lastIndexOf('.') + 1);
        boolean backend =
                mutant.file().startsWith("reference/") || mutant.file().startsWith("vector/");
        return new MutantLoader(backend ? itsPackage : "org.bitwitness.kernels.", compile(mutant));
    }

    /** The module's sources. */
    static String source(String file) {
        Path path = Path.of(System.getProperty("bitwitness.home", "."))
                .resolve("deterministic-kernels/src/main/java/org/bitwitness/kernels")
                .resolve(file);
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the source " + path + ": run the tests in the project", e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(isolated)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] code = faulty.containsKey(name) ? faulty.get(name) : untouched(name);
                loaded = defineClass(name, code, 0, code.length);
            }
            return loaded;
        }
    }

    private byte[] untouched(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static Map<String, byte[]> compile(SourceMutant mutant) {
        String text = mutant.plantIn(source(mutant.file()));
        Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager standard =
                COMPILER.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            boolean compiled = COMPILER.getTask(
                            complaints,
                            new Memory(standard, classes),
                            null,
                            List.of(
                                    "-proc:none",
                                    "-nowarn",
                                    "--add-modules=jdk.incubator.vector",
                                    "-classpath",
                                    System.getProperty("java.class.path")),
                            null,
                            List.of(new Text(mutant.className(), text)))
                    .call();
            if (!compiled) {
                throw new IllegalStateException("mutant \"%s\" does not compile: %s".formatted(mutant, complaints));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        Map<String, byte[]> code = new HashMap<>();
        classes.forEach((name, bytes) -> code.put(name, bytes.toByteArray()));
        return code;
    }

    /** A source in memory. */
    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(String className, String text) {
            super(URI.create("mutant:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps class files in memory. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes;

        Memory(JavaFileManager standard, Map<String, ByteArrayOutputStream> classes) {
            super(standard);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mutant:///" + className.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(className, bytes);
                    return bytes;
                }
            };
        }
    }
}
