/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.annotation.DistributedLocked;
import java.util.ArrayList;
import java.util.List;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;

/** Classes of services, each with some methods of its own, all of them with the annotation or none. */
final class GeneratedServices extends ClassLoader {

    private static final String TEXT = "(Ljava/lang/String;)Ljava/lang/String;";

    private final boolean locked;

    GeneratedServices(boolean locked) {
        super(GeneratedServices.class.getClassLoader());
        this.locked = locked;
    }

    List<Class<?>> define(int classes, int methods) {
        List<Class<?>> defined = new ArrayList<>();
        for (int i = 0; i < classes; i++) {
            byte[] code = code("generated/Service" + i, methods);
            defined.add(defineClass("generated.Service" + i, code, 0, code.length));
        }
        return defined;
    }

    private byte[] code(String name, int methods) {
        ClassWriter type = new ClassWriter(0);
        type.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, "java/lang/Object", null);
        MethodVisitor constructor = type.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(1, 1);
        constructor.visitEnd();
        for (int i = 0; i < methods; i++) {
            addMethod(type, "method" + i, name + ".method" + i);
        }
        type.visitEnd();
        return type.toByteArray();
    }

    /** Each method has its own expression, so that none is known from another class. */
    private void addMethod(ClassWriter type, String name, String key) {
        MethodVisitor method = type.visitMethod(Opcodes.ACC_PUBLIC, name, TEXT, null, null);
        if (locked) {
            AnnotationVisitor annotation = method.visitAnnotation(Type.getDescriptor(DistributedLocked.class), true);
            annotation.visit("key", "'" + key + ":' + #p0");
            annotation.visitEnd();
        }
        method.visitCode();
        method.visitVarInsn(Opcodes.ALOAD, 1);
        method.visitInsn(Opcodes.ARETURN);
        method.visitMaxs(1, 2);
        method.visitEnd();
    }
}
